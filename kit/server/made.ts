/** The tarball for a server, as set-up made it (pack.ts). Only read: the account of a portal need not be able to write its installation. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { readPlainFile, whyUnread } from '../../schema/plain-file.ts';
import { kitVersion } from '../../schema/supervisor-protocol.ts';
import { isMissing, pathState } from '../atomic-file.ts';
import { kitProcessors, kitsFolder, readKitRecord, type KitProcessor } from './parts.ts';

export interface ServerKit {
  readonly id: string;
  readonly file: string;
  /** Hex, of the tarball. */
  readonly sha256: string;
  readonly bytes: number;
}

/** For a server whose `uname -m` says `arch`. Rejects KIT_INCOMPLETE with the line that makes the tarball, or says what can't be read. */
export async function serverKit(root: string, arch: string): Promise<ServerKit> {
  if (!isProcessor(arch)) throw new SvcError('KIT_INCOMPLETE', `there is no runtime for ${arch}: x86_64 and aarch64 have one`);
  const folder = path.join(root, kitsFolder);
  const at = path.join(folder, `${arch}.json`);
  const record = readKitRecord(String(await readPlainFile(at).catch((error: unknown) => incomplete(root, arch, at, error))));
  if (record === null || !record.id.startsWith(`${kitVersion}-`)) {
    const is = record === null ? 'is damaged' : `is of ${record.id}, which another svc made`;
    throw new SvcError('KIT_INCOMPLETE', `${at} ${is}; ${lineFor(root, arch)}`);
  }
  const file = path.join(folder, record.file);
  const { size } = await stat(file).catch((error: unknown) => incomplete(root, arch, file, error));
  if (size !== record.bytes)
    throw new SvcError('KIT_INCOMPLETE', `${file} has ${size} bytes, expected ${record.bytes}; ${lineFor(root, arch)}`);
  return { id: record.id, file, sha256: record.sha256, bytes: record.bytes };
}

const isProcessor = (arch: string): arch is KitProcessor => Object.hasOwn(kitProcessors, arch);

function incomplete(root: string, arch: KitProcessor, file: string, error: unknown): never {
  if (isMissing(error))
    throw new SvcError('KIT_INCOMPLETE', `the server kit for ${arch} is not in this installation of svc; ${lineFor(root, arch)}`);
  throw new SvcError('KIT_INCOMPLETE', `the server kit ${file} can't be read: ${whyUnread(error)}`);
}

/** A clone makes it; a package has no set-up. */
function lineFor(root: string, arch: KitProcessor): string {
  if (pathState(path.join(root, 'setup/build.ts')).kind !== 'present') return 'install a package of svc that holds it';
  const npm = `node-linux-${kitProcessors[arch]}`;
  const isHere = pathState(path.join(root, 'node_modules', npm, 'bin/node')).kind === 'present';
  const fetch = isHere ? '' : `npm install --no-save --force --ignore-scripts ${npm} && `;
  return `make it, as the account that owns ${root}, with: cd ${root} && ${fetch}node_modules/.bin/node setup/build.ts`;
}
