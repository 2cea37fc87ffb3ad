import { expect, test } from 'vitest';
import { runDoctor, type DoctorDeps, type RunsHere } from './doctor.ts';

const namesOf = async (here: RunsHere): Promise<readonly string[]> => {
  // Each row guards itself: what it lacks here is its own failure.
  const rows = await runDoctor({ runsHere: () => here, more: {} } as unknown as DoctorDeps);
  return rows.map(({ name }) => name);
};

test.for([
  [{ apps: true, jobs: true }, ['python3', 'flock', 'user manager']],
  [{ apps: false, jobs: true }, ['python3']],
  [{ apps: false, jobs: false }, []],
] as const)('where %j run here, of what apps and jobs need %j is looked at', async ([here, asked]) => {
  const names = await namesOf(here);
  expect(names.filter((name) => ['python3', 'flock', 'user manager'].includes(name))).toEqual(asked);
  expect(names).toEqual(expect.arrayContaining(['listen', 'store', 'node', 'servers', 'disk']));
});
