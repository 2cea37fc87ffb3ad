/** A program of the tests: `extract-once.ts TARBALL TARGET` prints counts, milliseconds and the peak of its memory in KiB. */
import { extractArchive } from '../extract.ts';
import { engineArchive } from '../rules.ts';

const [tarball = '', target = ''] = process.argv.slice(2);
const startedMs = performance.now();
const counts = await extractArchive(tarball, target, { limits: engineArchive });
const { maxRSS } = process.resourceUsage();
process.stdout.write(JSON.stringify({ ...counts, ms: performance.now() - startedMs, peakKib: maxRSS }));
