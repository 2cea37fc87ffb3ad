/**
 * `npm run check`: format, types, lint, dead code and unit tests. Run it before each commit. Rules of the linter that need types are asked of the last changes; mutants,
 * simulations, generated cases and what compiles or measures run in `npm test` only.
 */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { runQuietly } from './run.ts';
import { bin, compiledOnce, runStaticSteps } from './steps.ts';

/**
 * Where unit tests make their files: in memory, where there is a file system of it with much space that programs may be started from. To make and
 * remove them is a tenth of what a run costs on a disk, and the processors wait for it. `npm test` uses the usual place.
 */
function temporaryFolder(): string {
  const inMemory = '/dev/shm';
  const usual = tmpdir();
  const options = readFileSync('/proc/mounts', 'utf8')
    .split('\n')
    .find((line) => line.split(' ')[1] === inMemory)
    ?.split(' ')[3];
  if (options === undefined || /(?:^|,)(?:noexec|ro)(?:,|$)/.test(options)) return usual;
  const { bavail, bsize } = statfsSync(inMemory);
  if (bavail * bsize < 4 * 1_024 ** 3 || freemem() < 8 * 1_024 ** 3) return usual;
  const folder = mkdtempSync(join(inMemory, 'svc-check-'));
  // Tests as other accounts reach theirs through it, as through /tmp.
  chmodSync(folder, 0o1777);
  return folder;
}

const temporary = temporaryFolder();
/** Without the files that generate their cases (vitest.config.ts), and an eighth of the cases that others generate. */
const env = { ...compiledOnce, ...process.env, SVC_TEST_QUICK: '1', TMPDIR: temporary };

const startedMs = performance.now();
const unit = {
  name: 'unit tests',
  argv: [bin('vitest'), 'run', '--project', 'unit', '--maxWorkers=2', '--tagsFilter=!costly', '--reporter=default'],
} as const;
// Two lanes: no step needs another one, and the static ones use a part of a core each.
const [statics, isRight] = await Promise.all([runStaticSteps({ withTypes: false }), runQuietly(unit, env)]);
if (temporary !== tmpdir()) rmSync(temporary, { recursive: true, force: true });
console.log(`check took ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
process.exitCode = isRight && statics.every(({ passed }) => passed) ? 0 : 1;
