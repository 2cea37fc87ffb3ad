/** A program of the tests: `swap-links.ts PLACE CANARY` races an extraction below PLACE, turning its folders and files into links to CANARY. */
import { closeSync, constants, openSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const [place = '', canary = ''] = process.argv.slice(2);
let swaps = 0;
let at = 0;

/** Through descriptors itself: what the other swapper makes of a folder meanwhile must not lead this one into the canary. */
function visit(folder: string, depth: number): void {
  let fd: number;
  try {
    fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  } catch {
    return;
  }
  try {
    for (const name of readdirSync(`/proc/self/fd/${fd}`)) {
      const path = `/proc/self/fd/${fd}/${name}`;
      if (name.startsWith('gone-')) continue;
      at += 1;
      if (at % 3 === 0 && depth > 0) {
        renameSync(path, join(place, `gone-${process.pid}-${at}`));
        symlinkSync(canary, path);
        swaps += 1;
      } else visit(path, depth + 1);
    }
  } catch {
    // It was gone, or made again, in between.
  } finally {
    closeSync(fd);
  }
}

process.on('SIGTERM', () => {
  process.stdout.write(`${swaps}\n`, () => process.exit(0));
});
process.stdout.write('ready\n');
(function round(): void {
  visit(place, 0);
  setImmediate(round);
})();
