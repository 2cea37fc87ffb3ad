/** Reads what changed of jobs since the last time: however many ask at once, one reading serves them. */
import { createBreath } from '../clock/slices.ts';
import { portalOfJobs } from '../jobs/names.ts';
import type { Context } from '../context.ts';

const pageRows = 500;
const readings = new WeakMap<Context['entries'], { current: Promise<void>; next: Promise<void> | null }>();

/** Resolves when everything is on the board that was in the store when it was called. */
export function pullJobs(context: Context): Promise<void> {
  const reading = readings.get(context.entries) ?? { current: Promise.resolve(), next: null };
  readings.set(context.entries, reading);
  reading.next ??= reading.current.then(() => {
    const run = readChanges(context);
    reading.current = run.catch(() => undefined);
    reading.next = null;
    return run;
  });
  return reading.next;
}

async function readChanges({ entries, options, queue }: Context): Promise<void> {
  const { jobs } = entries;
  entries.portalOfJobs ??= await portalOfJobs(options.store);
  const breath = createBreath();
  for (;;) {
    const rows = await options.store.jobs.jobChanges(jobs.lastChange(), pageRows);
    for (const row of rows) {
      const entry = jobs.put(row, options.clock.nowMs());
      if (entry !== null) queue.add(entry.key, row.cancelAtMs !== null);
      await breath();
    }
    // The next turn may be another person's now.
    for (const cluster of new Set(rows.map((row) => row.cluster))) {
      const known = entries.clusters.get(cluster);
      if (known !== undefined) queue.add(known.key, false);
    }
    if (rows.length < pageRows) return;
  }
}
