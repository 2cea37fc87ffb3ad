/** What a person's pages ask of files, made of what the kernel lets their account do (file-system.ts). */
import type { PersonFiles } from '../../schema/files.ts';
import { openContent } from './content.ts';
import { codedFault } from './file-fault.ts';
import type { FileSystem } from './file-system.ts';
import { lookAt } from './items.ts';
import type { Listings } from './listing.ts';
import { placesOf, spaceOf } from './places.ts';

export interface ServiceOptions {
  readonly fs: FileSystem;
  readonly person: string;
  readonly account: string;
  readonly home: Buffer;
  readonly listings: Listings;
}

export function createFileService({ fs, person, account, home, listings }: ServiceOptions): PersonFiles {
  return {
    account,
    places: () => coded(home, () => placesOf(fs, account, home)),
    list: (folder, options) => coded(folder, (path) => listings.page(person, fs, path, options)),
    item: (path) => coded(path, (at) => lookAt(fs, at)),
    space: (path) => coded(path, (at) => spaceOf(fs, at)),
    open: (path) => coded(path, (at) => openContent(fs, at)),
  };
}

/** What the kernel says becomes a code. */
async function coded<Result>(path: Uint8Array, work: (path: Buffer) => Promise<Result>): Promise<Result> {
  try {
    return await work(Buffer.from(path));
  } catch (error) {
    throw codedFault(error, path);
  }
}
