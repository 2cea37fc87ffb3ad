/** `COMMAND --version`: answered by every command of the kit. */
import { kitVersion } from '../schema/supervisor-protocol.ts';

/**
 * Whether that is what was asked; the version is then on stdout. By the time of the answer all modules of the program are loaded: the trial of a
 * kit asks each command (kit/server/try.sh). `whole` says whether what the command starts is of that version, too; without it nothing is said.
 */
export function tellsVersion(argv: readonly string[], whole: (version: string) => boolean = () => true): boolean {
  if (argv.length !== 1 || argv[0] !== '--version') return false;
  if (whole(kitVersion)) process.stdout.write(`${kitVersion}\n`);
  return true;
}
