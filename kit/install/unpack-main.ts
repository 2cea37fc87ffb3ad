/**
 * Extracts a tarball from stdin into `package` of its working folder, as an account without rights, so that a hostile archive never runs
 * code as root. Started by unpack.ts only, as root: it becomes that account once it is loaded, which may lie where only root can read (a checkout
 * in /root). argv: package | engine, and the number of the account. Descriptor 3 ends with who started it. The refusal goes to stdout as JSON.
 */
import net from 'node:net';
import { SvcError } from '../../schema/errors.ts';
import { errorCode } from '../../schema/system-error.ts';
import { extractArchive } from '../archive/extract.ts';
import { engineArchive, packageArchive } from '../archive/rules.ts';
import { tellsVersion } from '../version.ts';

/** Functions that the types of Node leave optional because of Windows. */
interface Identity {
  setgroups(groups: readonly number[]): void;
  setgid(gid: number): void;
  setuid(uid: number): void;
}

function become(number: number): void {
  const system = process as unknown as Identity;
  system.setgroups([]);
  system.setgid(number);
  system.setuid(number);
  if (process.getuid?.() !== number || process.geteuid?.() !== number || process.getgid?.() !== number)
    throw new Error(`could not become account ${number}`);
}

if (tellsVersion(process.argv.slice(2))) process.exit(0);

// A process that continued to write would disturb the next run.
new net.Socket({ fd: 3 })
  .on('error', () => process.exit(1))
  .on('close', () => process.exit(1))
  .resume()
  .unref();

try {
  become(Number(process.argv[3]));
  const limits = process.argv[2] === 'engine' ? engineArchive : packageArchive;
  // Relative to the folder that we stand in: those above it may be closed to this account.
  await extractArchive(process.stdin, '/proc/self/cwd/package', { limits, durable: true });
} catch (error) {
  const disk = ['ENOSPC', 'EDQUOT'].includes(errorCode(error));
  const code = error instanceof SvcError ? error.code : disk ? 'DISK_FULL' : 'INTERNAL';
  const message = disk ? 'no space left for the archive' : error instanceof Error ? error.message : String(error);
  process.stdout.write(JSON.stringify({ code, message, details: error instanceof SvcError ? error.details : {} }));
  process.exitCode = 1;
}
