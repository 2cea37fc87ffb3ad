/**
 * Extracts a tarball from stdin into `package` of its working folder, as an account without rights, so that a hostile archive never runs
 * code as root. Started by unpack.ts only. argv: package | engine. The refusal goes to stdout as JSON.
 */
import { SvcError } from '../../schema/errors.ts';
import { errorCode } from '../../schema/system-error.ts';
import { extractArchive } from '../archive/extract.ts';
import { engineArchive, packageArchive } from '../archive/rules.ts';

try {
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
