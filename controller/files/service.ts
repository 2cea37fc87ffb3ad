/** File operations of a person's pages, built on what the kernel lets their account do (file-system.ts). */
import type { Clock } from '../../schema/clock.ts';
import type { PersonFiles } from '../../schema/files.ts';
import { openContent } from './content.ts';
import { codedFault, FileFault } from './file-fault.ts';
import { joined, nameOf, parentOf, type FileEntry, type FileSystem } from './file-system.ts';
import { pathAt, whilePinned, whilePlaced } from './holding.ts';
import { lookAt } from './items.ts';
import { isLeftover, removeLeftovers } from './leftovers.ts';
import type { Listings } from './listing.ts';
import { createOperations } from './operations.ts';
import { deskFolderOf, placesOf, spaceOf } from './places.ts';
import { placeNew } from './placing.ts';
import { save } from './saving.ts';
import { search } from './search.ts';
import { createTrash } from './trash.ts';
import { createUploads } from './uploads.ts';
import { markIn } from './folder-mark.ts';
import { watchFolders } from './watch.ts';
import { zip } from './zip.ts';

export interface ServiceOptions {
  readonly fs: FileSystem;
  readonly person: string;
  readonly account: string;
  readonly home: Buffer;
  readonly listings: Listings;
  readonly clock: Clock;
}

export function createFileService({ fs, person, account, home, listings, clock }: ServiceOptions): PersonFiles {
  const uploads = createUploads(fs, clock);
  const trash = createTrash(fs, home);
  const operations = createOperations({ fs, trash, clock });
  return {
    account,
    places: () => coded(home, () => placesOf(fs, account, home)),
    deskFolder: () => coded(home, () => deskFolderOf(fs, home)),
    list: (folder, options) =>
      coded(folder, async (path) => {
        const left: FileEntry[] = [];
        const page = await listings.page(person, fs, path, options, (entries) => {
          for (const entry of entries) if (isLeftover(entry, clock.nowMs())) left.push(entry);
        });
        // In such a folder a copy, an archive or an upload grows: while one goes on, it may be the one.
        void removeLeftovers(fs, path, left, (at) => operations.isBusy() || uploads.isUsed(at));
        return page;
      }),
    item: (path) => coded(path, (at) => lookAt(fs, at)),
    space: (path) => coded(path, (at) => spaceOf(fs, at)),
    open: (path) => coded(path, (at) => openContent(fs, at)),
    search: (folder, text, hidden, signal) => codedLines(search(fs, clock, { folder: Buffer.from(folder), text, hidden, signal }), folder),
    zip: (paths, signal) =>
      codedLines(
        zip(
          fs,
          paths.map((each) => Buffer.from(each)),
          signal,
        ),
        null,
      ),
    watch: (folders, signal) =>
      codedLines(
        watchFolders(
          fs,
          clock,
          folders.map(({ path, version }) => ({ folder: Buffer.from(path), mark: markIn(version) })),
          signal,
        ),
        null,
      ),
    write: (path, body, condition) => coded(path, (at) => save(fs, at, body, condition)),
    makeFolder: (path) =>
      coded(path, async (at) => {
        await fs.makeFolder(at, 0o777);
        return await lookAt(fs, at);
      }),
    rename: (path, name) => coded(path, (at) => renameTo(fs, at, joined(parentOf(at), name))),
    beginUpload: (order) => coded(order.path, () => uploads.begin(order)),
    seeUpload: (id) => uploads.see(id),
    putPiece: (id, from, body) => coded(null, () => uploads.put(id, from, body)),
    endUpload: (id, sha256) => coded(null, () => uploads.end(id, sha256)),
    dropUpload: (id) => coded(null, () => uploads.drop(id)),
    begin: (order) => coded(null, () => operations.begin(order)),
    operations: () => operations.all(),
    operation: (id, waitMs, signal) => operations.wait(id, waitMs, signal),
    cancel: (id) => operations.cancel(id),
    trash: (from, limit) => coded(null, () => trash.list(from, limit)),
  };
}

async function renameTo(fs: FileSystem, from: Buffer, to: Buffer) {
  if (from.length === 1) throw new FileFault('EBUSY');
  await whilePinned(fs, (pinned) =>
    whilePlaced(pinned, from, async (place) => {
      const { kind } = await pinned.lstat(pathAt(place));
      if (!from.equals(to)) await placeNew(pinned, pathAt(place), joined(place.folder, nameOf(to)), kind);
    }),
  );
  return await lookAt(fs, to);
}

/** Turns errors of the kernel into codes. */
async function coded<Result>(path: Uint8Array | null, work: (path: Buffer) => Promise<Result>): Promise<Result> {
  try {
    return await work(Buffer.from(path ?? ''));
  } catch (error) {
    throw codedFault(error, path);
  }
}

async function* codedLines<Line>(lines: AsyncIterable<Line>, path: Uint8Array | null): AsyncGenerator<Line> {
  try {
    yield* lines;
  } catch (error) {
    throw codedFault(error, path);
  }
}
