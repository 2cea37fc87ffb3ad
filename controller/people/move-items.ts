/**
 * The files that a move takes along: in the home of an account, the data of their apps and the packages that they installed themselves. It is read and written as that account on
 * each side, and no link is followed: one is copied as a link. Decision: docs/decisions/0388-a-person-goes-to-another-server.md
 */
import { createHash } from 'node:crypto';
import path from 'node:path';
import { isAppId } from '../../schema/app-id.ts';
import { SvcError } from '../../schema/errors.ts';
import { accountPaths, appPaths } from '../../schema/server-paths.ts';
import { shownName } from '../../schema/wire/file-path.ts';
import { copyTree } from '../files/copying.ts';
import { FileFault } from '../files/file-fault.ts';
import { joined, nameOf, parentOf, type FileEntry, type FileFacts, type FileSystem, type PinnedFileSystem } from '../files/file-system.ts';
import { pathAt, placeIn, whileHeld, whilePinned, whilePlaced, type Place } from '../files/holding.ts';
import { newId, placeNew, present } from '../files/placing.ts';
import { createCount, isSameAt, piecesOf, quiet, refuseDeep, removeAt, type Progress } from '../files/trees.ts';
import { faultPoint } from '../faults.ts';

/** The files of an account on one server. */
export interface Side {
  readonly server: string;
  readonly fs: FileSystem;
  readonly home: Buffer;
}

interface Survey {
  readonly kind: FileFacts['kind'];
  readonly entries: number;
  readonly files: number;
  readonly bytes: number;
  /** The newest time in it, without those of links, which no copy keeps. */
  readonly newestMs: number;
  /** Over names, kinds, sizes, modes, times, and targets of links. */
  readonly digest: string;
}

export interface Item {
  readonly app: string;
  /** Below the home. */
  readonly path: Buffer;
  readonly survey: Survey;
}

/** Files of `~/.svc-apps/APP` that svc makes anew: those of runs, and the mark of a set-up, which is run again on another machine. */
const madeAnew: ReadonlySet<string> = new Set(
  Object.entries(appPaths({ home: '', prefix: '' }, 'x')).flatMap(([what, file]) =>
    ['dir', 'data', 'secrets'].includes(what) ? [] : [path.posix.basename(file)],
  ),
);

const { root, personApps } = accountPaths({ home: '', prefix: '' });
const appsFolder = Buffer.from(root.slice(1));
const ownFolder = Buffer.from(personApps.slice(1));
/** Copies on their way to their names. */
const staging = Buffer.from('.svc-apps/.moving');
/** Older files that stood where something went. */
const aside = Buffer.from('.svc-apps/.moved');
/** Names that `--clean` removes on the server they left, and on the one where they are. */
export const cleanedBefore: readonly Buffer[] = [appsFolder, ownFolder];
export const cleanedAfter: readonly Buffer[] = [staging, aside];

const at = ({ home }: Side, name: Buffer): Buffer => joined(home, name);
export const shownItem = (item: Pick<Item, 'path'>): string =>
  `~/${item.path
    .toString('utf8')
    .split('/')
    .map((name) => shownName(Buffer.from(name)))
    .join('/')}`;

/** Whether a file that is written through one is seen through the other. The disk of the first one may be full. */
export async function isSameHome(from: Side, to: Side): Promise<boolean> {
  const name = Buffer.from(`.svc-move-${newId()}`);
  const file = await to.fs.open(at(to, name), 'create', 0o600);
  await file.close();
  try {
    return (await present(from.fs, at(from, name))) !== null;
  } finally {
    await to.fs.removeFile(at(to, name));
  }
}

async function entriesIn(fs: FileSystem, folder: Buffer, signal: AbortSignal): Promise<readonly FileEntry[]> {
  if ((await present(fs, folder)) === null) return [];
  const found: FileEntry[] = [];
  for await (const entries of piecesOf(fs, folder, signal, createCount())) found.push(...entries);
  return found.toSorted((one, other) => Buffer.compare(one.name, other.name));
}

/** In the order in which they get their names: the versions of a package before the link that names one. */
export async function itemsOf(side: Side, signal: AbortSignal): Promise<readonly Item[]> {
  const found: { readonly app: string; readonly path: Buffer }[] = [];
  for (const { name, kind } of await entriesIn(side.fs, at(side, appsFolder), signal)) {
    const app = name.toString('latin1');
    if (!isAppId(app)) continue;
    const folder = joined(appsFolder, name);
    if (kind === 'link') found.push({ app, path: folder });
    if (kind !== 'folder') continue;
    for (const inside of await entriesIn(side.fs, at(side, folder), signal))
      if (!madeAnew.has(inside.name.toString('latin1')) && inside.kind !== 'other') found.push({ app, path: joined(folder, inside.name) });
  }
  for (const { name, kind } of await entriesIn(side.fs, at(side, ownFolder), signal)) {
    const app = name.toString('latin1');
    if (!isAppId(app) || kind === 'other' || kind === 'file') continue;
    const versions = joined(joined(ownFolder, Buffer.from('.versions')), name);
    if ((await present(side.fs, at(side, versions))) !== null) found.push({ app, path: versions });
    found.push({ app, path: joined(ownFolder, name) });
  }
  return await whilePinned(side.fs, async (fs) => {
    const items: Item[] = [];
    for (const one of found) items.push({ ...one, survey: await surveyAt(fs, at(side, one.path), signal) });
    return items;
  });
}

async function surveyAt(fs: PinnedFileSystem, file: Buffer, signal: AbortSignal): Promise<Survey> {
  return await whilePlaced(fs, file, (place) => survey(fs, place, signal));
}

/** Names of one folder at a time are held. */
async function survey(fs: PinnedFileSystem, top: Place, signal: AbortSignal): Promise<Survey> {
  const hash = createHash('sha256');
  const count = createCount();
  const sum = { entries: 0, files: 0, bytes: 0, newestMs: 0 };
  const visit = async (place: Place, { kind, bytes, mode, modifiedMs }: FileFacts, depth: number): Promise<void> => {
    refuseDeep(depth);
    if (kind === 'other') return;
    const second = kind === 'link' ? 0 : Math.floor(modifiedMs / 1_000);
    const target = kind === 'link' ? (await fs.readLink(pathAt(place))).toString('latin1') : '';
    const own = [kind === 'file' ? bytes : 0, kind === 'link' ? 0 : mode & 0o777, second, target];
    hash.update(`${JSON.stringify([depth === 0 ? '' : place.name.toString('latin1'), depth, kind, ...own])}\n`);
    sum.entries += depth === 0 ? 0 : 1;
    sum.newestMs = Math.max(sum.newestMs, second * 1_000);
    if (kind === 'file') sum.files += 1;
    if (kind === 'file') sum.bytes += bytes;
    if (kind !== 'folder') return;
    await whileHeld(fs, pathAt(place), 'refuse', async (folder) => {
      const names: FileEntry[] = [];
      for await (const entries of piecesOf(fs, folder, signal, count)) names.push(...entries);
      names.sort((one, other) => Buffer.compare(one.name, other.name));
      for (const entry of names) await visit(placeIn(folder, entry.name, place.shown), entry, depth + 1);
    });
  };
  const facts = await fs.lstat(pathAt(top));
  await visit(top, facts, 0);
  return { kind: facts.kind, ...sum, digest: hash.digest('hex') };
}

/** How the files that stand where an item is to go compare with it: `same` by names, sizes and times, `older` when no part of it was changed after the item. */
export type Standing = 'nothing' | 'same' | 'older' | 'newer';

export async function standingOf(to: Side, item: Item, signal: AbortSignal): Promise<Standing> {
  if ((await present(to.fs, at(to, item.path))) === null) return 'nothing';
  const there = await whilePinned(to.fs, (fs) => surveyAt(fs, at(to, item.path), signal));
  if (there.digest === item.survey.digest) return 'same';
  if (there.kind === 'folder' && there.entries === 0) return 'older';
  return there.newestMs > item.survey.newestMs ? 'newer' : 'older';
}

/** Whether a copy that has its name is the same byte by byte. */
export async function isSameThere(from: Side, to: Side, { path: of }: Item, signal: AbortSignal): Promise<boolean> {
  return await whileBoth(from, to, at(from, of), at(to, of), (source, one, target, other) =>
    isSameAt(source, one, other, { signal, count: createCount(), there: target }),
  );
}

async function whileBoth<Result>(
  { fs }: Side,
  to: Side,
  path: Buffer,
  pathThere: Buffer,
  work: (source: PinnedFileSystem, one: Place, target: PinnedFileSystem, other: Place) => Promise<Result>,
): Promise<Result> {
  return await whilePinned(fs, (source) =>
    whilePinned(to.fs, (target) =>
      whilePlaced(source, path, (one) => whilePlaced(target, pathThere, (other) => work(source, one, target, other))),
    ),
  );
}

async function makeFolder(fs: FileSystem, folder: Buffer, mode: number): Promise<void> {
  const there = await present(fs, folder);
  if (there === null) await fs.makeFolder(folder, mode);
  else if (there.kind !== 'folder') throw new FileFault('EKIND', { path: folder });
}

/** Each folder on the way, as it is on the other side. */
async function makeWay(from: Side, to: Side, folder: Buffer): Promise<void> {
  let way: Buffer = Buffer.alloc(0);
  for (const name of folder.toString('latin1').split('/')) {
    way = way.length === 0 ? Buffer.from(name, 'latin1') : joined(way, Buffer.from(name, 'latin1'));
    if ((await present(to.fs, at(to, way))) !== null) continue;
    const { mode } = await from.fs.stat(at(from, way));
    await to.fs.makeFolder(at(to, way), mode & 0o777);
  }
}

const stagedName = ({ path: of }: Item): Buffer => Buffer.from(createHash('sha256').update(of).digest('hex').slice(0, 32));

/** Copies an item beside its place, or goes on from a copy of an earlier try, and reads both. Rejects FILE_CHANGED when they are not the same. */
export async function stage(from: Side, to: Side, item: Item, progress: Progress): Promise<void> {
  await makeFolder(to.fs, at(to, appsFolder), 0o700);
  await makeFolder(to.fs, at(to, staging), 0o700);
  const { signal } = progress;
  const staged = at(to, joined(staging, stagedName(item)));
  await whileBoth(from, to, at(from, item.path), staged, async (source, one, target, other) => {
    const isSame = (): Promise<boolean> => isSameAt(source, one, other, { signal, count: createCount(), there: target });
    if ((await present(target, pathAt(other))) !== null) {
      if ((await survey(target, other, signal)).digest === item.survey.digest && (await isSame())) return;
      await removeAt(target, other, { ...quiet, signal });
    }
    await copyTree(source, one, other, progress, target);
    faultPoint('person-move/copied');
    const now = await survey(source, one, signal);
    if (now.digest !== item.survey.digest || !(await isSame()))
      throw new SvcError('FILE_CHANGED', `${shownItem(item)} on ${from.server} was changed while it was copied: give this again`);
  });
  faultPoint('person-move/verified');
}

/** Gives a copy its name. Something older that stands there is put aside; what came to be there since is never replaced. */
export async function put(from: Side, to: Side, item: Item, standing: Standing): Promise<void> {
  const staged = at(to, joined(staging, stagedName(item)));
  const target = at(to, item.path);
  await makeWay(from, to, parentOf(item.path));
  if (standing === 'older') {
    await makeFolder(to.fs, at(to, aside), 0o700);
    await to.fs.rename(target, joined(at(to, aside), Buffer.from(`${newId()}-${nameOf(item.path).toString('latin1')}`, 'latin1')));
    faultPoint('person-move/aside');
  }
  await placeNew(to.fs, staged, target, item.survey.kind);
  faultPoint('person-move/placed');
}

export async function endStaging(to: Side): Promise<void> {
  await to.fs.removeFolder(at(to, staging)).catch(() => undefined);
}

/** Bytes that an earlier try copied already. */
export async function stagedBytes(to: Side, signal: AbortSignal): Promise<number> {
  if ((await present(to.fs, at(to, staging))) === null) return 0;
  return (await whilePinned(to.fs, (fs) => surveyAt(fs, at(to, staging), signal))).bytes;
}

export async function removeNames(side: Side, names: readonly Buffer[], signal: AbortSignal): Promise<void> {
  await whilePinned(side.fs, async (fs) => {
    for (const name of names)
      if ((await present(fs, at(side, name))) !== null)
        await whilePlaced(fs, at(side, name), (place) => removeAt(fs, place, { ...quiet, signal }));
  });
}
