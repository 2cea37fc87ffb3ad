/** Parts of a site for a backup: its databases, the files of its state folder, its desired folder, the files that documents name. */
import path from 'node:path';
import { readFolder } from '../../controller/desired/read-folder.ts';
import { repositoriesOf, repositoryFolders } from '../../kit/repository/reading/location.ts';
import { indexFiles } from '../../kit/repository/reading/index-files.ts';
import type { DesiredDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';
import { isReadable, pathsBelow, type Source } from '../../store/backup/file-entries.ts';
import type { TakeOptions } from '../../store/backup/take.ts';
import { desiredPlaceFile, rememberedDesired } from '../up/remembered-desired.ts';
import { rememberedPlace, storeFile, type StorePlace } from '../up/remembered-store.ts';
import { secretFiles } from './secret-files.ts';

export interface Site extends Pick<TakeOptions, 'databases' | 'list'> {
  readonly stateDir: string;
  readonly place: StorePlace;
  /** Null: nobody said, and no portal was started with it. */
  readonly desired: string | null;
  /** Folders, in the order of the document. */
  readonly repositories: readonly string[];
  /** Places that the backup leaves out, and why. */
  readonly left: readonly string[];
}

/** Folders and files of the state folder that are taken as they are; `anexos` and `fila` are what the portal keeps for rows of its store. */
const ownFolders = ['anexos', 'fila', 'ssh'] as const;
const ownFiles = ['store', desiredPlaceFile] as const;

/** Rejects BAD_REQUEST for a folder that is no state folder. */
export async function siteOf(stateDir: string, desiredDir: string | null): Promise<Site> {
  const place = await rememberedPlace(stateDir, []);
  const store = storeFile(place, stateDir);
  if (store !== null && !(await isReadable(store)))
    throw new SvcError(
      'BAD_REQUEST',
      `${stateDir} is no state folder, or not readable: ${store} can't be read; --state names the folder of the portal`,
    );
  const desired = desiredDir ?? (await rememberedDesired(stateDir));
  const read = desired === null ? null : await readFolder(desired);
  const documents = read?.ok === true ? read.state.documents : [];
  const left: string[] = [];
  if (desired === null) left.push('the desired folder: no portal of this svc was started on the state folder yet; --desired names it');
  else if (read?.ok === false) left.push(`files that the documents name: ${desired} is refused, svc validate ${desired} says why`);
  const portal = documents.flatMap(({ document, place }) => (document.kind === 'Portal' ? [{ document, place }] : []))[0] ?? null;
  const repositories = desired === null ? [] : repositoryFolders(repositoriesOf(desired, portal));
  const secrets = await readableSecrets(
    documents.map(({ document }) => document),
    { stateDir, desired, left },
  );
  const rooms = path.join(stateDir, 'rooms.db');
  const files = store === null ? [] : [store, ...((await isReadable(rooms)) ? [rooms] : [])];
  return {
    stateDir,
    place,
    desired,
    repositories,
    left,
    databases: files.map((file) => placeIn(stateDir, file)),
    list: async () => [
      ...ownSources(stateDir),
      ...secrets,
      ...(desired === null ? [] : desiredSources(desired, { stateDir, repositories })),
      ...(await repositorySources(repositories)),
    ],
  };
}

export const isWithin = (folder: string, file: string): boolean => {
  const relative = path.relative(folder, file);
  return relative === '' || (!relative.startsWith('..') && !path.isAbsolute(relative));
};

function placeIn(stateDir: string, file: string): { readonly root: 'state' | 'secret'; readonly path: string; readonly file: string } {
  return isWithin(stateDir, file) ? { root: 'state', path: path.relative(stateDir, file), file } : { root: 'secret', path: file, file };
}

function ownSources(stateDir: string): readonly Source[] {
  const sources: Source[] = [];
  for (const folder of ownFolders)
    for (const below of pathsBelow(path.join(stateDir, folder), isComingIn))
      sources.push({ ...own(stateDir, `${folder}/${below}`), ...(isAttachment(folder, below) && { isFixed: true }) });
  // Says how far the record goes: the days that are read after it hold that much, or more.
  const days = pathsBelow(path.join(stateDir, 'audit')).filter((name) => name !== 'head.json');
  const record = ['head.json', ...days].map((name) => own(stateDir, `audit/${name}`));
  return [...sources, ...ownFiles.map((name) => own(stateDir, name)), ...record];
}

/** `anexos/ROOM/SHA256` is written beside, and gets that name once it is whole. */
const isAttachment = (folder: string, below: string): boolean => folder === 'anexos' && /\/[0-9a-f]{64}$/.test(below);

/** An upload under way, of which nothing is known yet; the mark of the folder begins with a dot, too. */
const isComingIn = (_below: string, name: string): boolean => name.startsWith('.in-');

const own = (stateDir: string, below: string): Source => ({ root: 'state', path: below, file: `${stateDir}/${below}`, isOwn: true });

async function readableSecrets(
  documents: readonly DesiredDocument[],
  { stateDir, desired, left }: { readonly stateDir: string; readonly desired: string | null; readonly left: string[] },
): Promise<readonly Source[]> {
  const sources: Source[] = [];
  const { files, variables } = secretFiles(documents);
  for (const named of files) {
    const file = path.resolve(stateDir, named);
    // Files of the desired folder are taken with it.
    if (desired !== null && isWithin(desired, file)) continue;
    if (await isReadable(file)) sources.push({ ...placeIn(stateDir, file), isOwn: false });
    else left.push(`${file}, which a document names: it can't be read`);
  }
  for (const name of variables) left.push(`the variable ${name}, which a document names: it is where the portal is started`);
  return sources;
}

function desiredSources(
  desired: string,
  { stateDir, repositories }: { readonly stateDir: string; readonly repositories: readonly string[] },
): readonly Source[] {
  const others = new Set([stateDir, ...repositories].filter((folder) => folder !== desired));
  const paths = pathsBelow(desired, (below, name) => others.has(path.join(desired, below)) || name === '.git');
  return paths.map((below) => ({ root: 'desired', path: below, file: path.join(desired, below), isOwn: false }));
}

/** Below the first folder; of each further one by whole paths. */
async function repositorySources(repositories: readonly string[]): Promise<readonly Source[]> {
  const sources: Source[] = [];
  for (const [index, folder] of repositories.entries())
    for (const below of await indexFiles(folder)) {
      const file = path.join(folder, below);
      sources.push({ root: 'repository', path: index === 0 ? below : file, file, isOwn: true });
    }
  return sources;
}
