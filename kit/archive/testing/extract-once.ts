/** A program of the tests: `extract-once.ts TARBALL TARGET [package]` prints counts, or the rule that refused it, milliseconds and the peak of its memory in KiB. */
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
const { maxRSS } = process.resourceUsage();
process.stdout.write(JSON.stringify({ ...counts, ms: performance.now() - startedMs, peakKib: maxRSS }));
