import { defineConfig } from 'vitest/config';
import { LongestFirst } from './setup/longest-first.ts';

/** On a machine that does much else at the time, a condition may be true only after seconds; what takes longer does not come. */
const waiting = (ms: number) => ({ poll: { timeout: ms } });

/** `npm test` tries a failed test of the real project once more, and says so. See test/README.md. */
const retry = process.env['SVC_TEST_RETRY'] === '1' ? 1 : 0;

/** Files of unit tests that make their cases, or go through deaths and loads, of which `npm run check` runs none. */
const generated = [
  '**/{mutation,generated,fuzz,oracle,hostile}.test.ts',
  '**/*matrix.test.ts',
  '**/*-{load,killed,sequences}.test.ts',
  'test/simulation/**',
];

/** Those that compile or judge all sources, try each character there is, or measure memory and time: `npm run check` runs none of them either. */
const whole = [
  'setup/{wrap,expressions,packages,bench-*}.test.ts',
  'kit/job/names.test.ts',
  'api/{young-memory,lazy-schemas}.test.ts',
  'store/room-cost.test.ts',
  'controller/work/record.test.ts',
];

/** Unit tests are beside their file; tests across folders are in test/. */
export default defineConfig({
  test: {
    // What was made of a source is kept until the source is another one.
    fsModuleCache: true,
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: 'unit',
          // The files of a worker share what they import, which is a third of the processor time of a run: a test leaves nothing behind.
          isolate: false,
          include: [
            '{schema,machines,reconcilers,store,controller,kit,api,bin,setup,sdk,shell}/**/*.test.ts',
            'test/boundaries.test.ts',
            'test/docs.test.ts',
            'test/simulation/*.test.ts',
            'examples/apps/*/src/*.test.ts',
          ],
          exclude: ['**/*.real.test.ts', '**/node_modules/**', ...(process.env['SVC_TEST_QUICK'] === '1' ? [...generated, ...whole] : [])],
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: waiting(20_000),
          setupFiles: ['test/support/patience.ts'],
          tags: [{ name: 'costly', description: 'waits, fills or measures for a second or more: `npm test` only' }],
        },
      },
      {
        test: {
          name: 'real',
          // As above: a worker for each file would cost more than a minute of a run. Leftovers of a test would be another file's.
          isolate: false,
          include: ['{schema,machines,reconcilers,store,controller,kit,api,bin,sdk,shell,examples,test}/**/*.real.test.ts'],
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: waiting(60_000),
          setupFiles: ['test/support/patience.ts', 'test/support/failure-details.ts'],
          retry,
          tags: [
            {
              name: 'carries-state',
              description: 'its tests go on from where the one before left the portal: what failed half-way is not tried again',
              retry: 0,
            },
          ],
        },
      },
      {
        // A real machine in qemu: `npm run test:server`, never with the others.
        test: {
          name: 'server',
          include: ['test/server/*.machine.test.ts'],
          testTimeout: 900_000,
          hookTimeout: 900_000,
          fileParallelism: false,
          // Each test goes on from where the one before left the machine.
          bail: 1,
        },
      },
    ],
  },
});
