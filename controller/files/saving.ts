/** Saves of whole files: a new file in a private folder beside its place, on the disk, then one rename. A failed save leaves the old file. */
import { SvcError } from '../../schema/errors.ts';
import type { WriteCondition } from '../../schema/files.ts';
import type { WrittenAnswer } from '../../schema/wire/files.ts';
import { faultPoint } from '../faults.ts';
import { createTag, openContent } from './content.ts';
import { FileFault, isFault, isMissing } from './file-fault.ts';
import { joined, parentOf, type FileFacts, type FileSystem, type OpenFile, type PinnedFileSystem } from './file-system.ts';
import { pathAt, whilePinned, whilePlaced, type Place } from './holding.ts';
import { lookAt } from './items.ts';
import { newId, placeNew, placeOver, present } from './placing.ts';
import { makePrivateFolder, placeInPrivate } from './private-folder.ts';
import { writeAll } from './transfer.ts';
import { listsEtag } from '../../schema/wire/etag.ts';

/**
 * Rejects FILE_CHANGED when the condition does not hold. On a machine that is far away each call takes a journey there and back, and on a portal that
 * does much else each waits for its turn: those that need nothing of each other go at once.
 */
export async function save(
  fs: FileSystem,
  path: Buffer,
  body: AsyncIterable<Uint8Array>,
  condition: WriteCondition,
): Promise<WrittenAnswer> {
  const named = await present(fs, path);
  const isLink = named?.kind === 'link';
  // A link that leads nowhere is no place for a file.
  const target = isLink ? await fs.realpath(path) : path;
  const there = isLink ? await present(fs, target) : named;
  await allOf(
    check(fs, target, there, condition),
    there === null ? null : refuseUnwritable(fs, target),
    refuseFull(fs, target, condition.bytes ?? 0),
  );
  const written = createTag();
  await whilePinned(fs, (pinned) =>
    whilePlaced(pinned, target, async (at) => {
      const grown = await makePrivateFolder(pinned, at.folder, newId());
      try {
        await writeNew(pinned, placeInPrivate(grown, at.name, target), written.of(body), there === null ? null : { target: at, there });
        await check(fs, target, await present(fs, target), condition);
        const beside = joined(grown.path, at.name);
        if (condition.isNew) await placeNew(pinned, beside, pathAt(at), 'file').catch(taken);
        else await placeOver(pinned, beside, pathAt(at));
      } finally {
        await grown.remove(at.name);
      }
    }),
  );
  const [item, etag] = await Promise.all([lookAt(fs, path), written.etag() ?? etagOf(fs, target)]);
  return { item, etag };
}

/** Rejects as the first of them that does, in their order, once all have ended. */
async function allOf(...acts: readonly (Promise<void> | null)[]): Promise<void> {
  for (const act of await Promise.allSettled(acts.filter((one) => one !== null))) if (act.status === 'rejected') throw act.reason;
}

async function etagOf(fs: FileSystem, path: Buffer): Promise<string> {
  const content = await openContent(fs, path);
  await content.close();
  return content.etag;
}

async function writeNew(fs: PinnedFileSystem, beside: Place, body: AsyncIterable<Uint8Array>, replaced: Replaced | null): Promise<void> {
  faultPoint('files/before-new');
  const file = await fs.open(pathAt(beside), 'create', replaced === null ? 0o666 : 0o600);
  try {
    faultPoint('files/new-made');
    await writeAll(file, body, fs.pieceBytes());
    await takeOn(fs, beside, file, replaced);
    await file.sync();
    faultPoint('files/new-written');
  } finally {
    await file.close();
  }
}

async function check(fs: FileSystem, target: Buffer, there: FileFacts | null, { matches, isNew }: WriteCondition): Promise<void> {
  if (isNew && there !== null) throw changed('there is a file of that name');
  if (there !== null && there.kind !== 'file') throw new FileFault(there.kind === 'folder' ? 'EISDIR' : 'EKIND');
  if (matches === null) return;
  if (there === null) throw changed('the file is gone');
  if (matches === '*') return;
  const etag = await etagOf(fs, target).catch((error: unknown) => {
    if (isMissing(error)) throw changed('the file is gone');
    throw error;
  });
  if (!listsEtag(matches, etag, 'weak')) throw changed('the file was changed meanwhile');
}

const changed = (why: string): SvcError => new SvcError('FILE_CHANGED', why);

function taken(error: unknown): never {
  throw isFault(error, 'EEXIST') ? changed('there is a file of that name') : error;
}

/** The folder may be written to, the file perhaps not: who made it read-only meant it. */
async function refuseUnwritable(fs: FileSystem, target: Buffer): Promise<void> {
  await (await fs.open(target, 'write')).close();
}

/** Before a byte is sent; what others write meanwhile is found by the write itself. */
export async function refuseFull(fs: FileSystem, target: Buffer, bytes: number): Promise<void> {
  const { totalBytes, freeBytes, freeFiles } = await fs.space(parentOf(target));
  if (totalBytes > 0 && (freeBytes < bytes || freeFiles === 0)) throw new FileFault('ENOSPC');
}

export interface Replaced {
  readonly target: Place;
  readonly there: FileFacts;
}

/** Mode, owner, group, ACL and extended attributes of what it takes the place of. Its other names keep what they had. `file`: what is open at `beside`. */
export async function takeOn(fs: PinnedFileSystem, beside: Place, file: OpenFile, replaced: Replaced | null): Promise<void> {
  if (replaced === null) return;
  const { target, there } = replaced;
  const { uid, mode } = await file.facts();
  if (uid !== there.uid) throw new SvcError('FILE_REFUSED', 'the file belongs to another account: a new one would belong to this one');
  if (await fs.keepAttributes(pathAt(target), pathAt(beside), 'file')) return;
  if (mode !== there.mode) await file.setMode(there.mode);
}
