/** A program of the tests: `extract-once.ts TARBALL TARGET [package]` prints counts, or the rule that refused it, milliseconds and the peak of its memory in KiB. */
import { readFileSync } from 'node:fs';
import { SvcError } from '../../../schema/errors.ts';
import { extractArchive } from '../extract.ts';
import { engineArchive, packageArchive } from '../rules.ts';

const [tarball = '', target = '', kind = 'engine'] = process.argv.slice(2);
const startedMs = performance.now();
const counts = await extractArchive(tarball, target, { limits: kind === 'package' ? packageArchive : engineArchive }).catch(
  (error: unknown) => {
    if (error instanceof SvcError) return { refused: error.details['rule'] };
    throw error;
  },
);
// Not of resourceUsage(): that begins with the peak of the process which started this one.
const peakKib = Number(/VmHWM:\s*(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);
process.stdout.write(JSON.stringify({ ...counts, ms: performance.now() - startedMs, peakKib }));
