import { expect, test } from 'vitest';
import { runDoctor, type DoctorDeps, type RunsHere } from './doctor.ts';

const namesOf = async (here: RunsHere): Promise<readonly string[]> => {
  // Each row guards itself: what it lacks here is its own failure.
  const rows = await runDoctor({ runsHere: () => here, more: {}, site: { scheme: 'http' } } as unknown as DoctorDeps);
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

const seen = (name: string, status: 'True' | 'Unknown', reason: string) => ({
  name,
  reason,
  message: 'no answer',
  conditions: [{ type: 'Reachable', status }],
});

test.for([
  ['all answer', [seen('polar', 'True', 'Reachable')], [true, '1 reachable', null]],
  [
    'another portal orders one',
    [seen('polar', 'True', 'OtherPortal')],
    [false, 'another portal orders them, too: polar', 'svc why Server/polar says what mends it, and so of each'],
  ],
  [
    'one does not answer, and another portal orders one',
    [seen('vega', 'Unknown', 'ServerUnreachable'), seen('polar', 'True', 'OtherPortal')],
    [false, 'vega: no answer; another portal orders them, too: polar', 'svc why Server/vega says what mends it, and so of each'],
  ],
  [
    'a new kit failed elsewhere',
    [seen('polar', 'True', 'KitStopped'), seen('vega', 'True', 'KitStopped'), seen('sirius', 'True', 'InstallFailed')],
    [false, 'go on with the kit they have: polar, vega (no answer)', 'svc why Server/polar says what mends it, and so of each'],
  ],
] as const)('servers: %s', async ([, servers, told]) => {
  const rows = await runDoctor({
    runsHere: () => ({ apps: true, jobs: true }),
    more: {},
    site: { scheme: 'http' },
    admin: { objects: () => servers },
  } as unknown as DoctorDeps);
  const row = rows.find(({ name }) => name === 'servers');
  expect([row?.ok, row?.detail.en, row?.fix?.en ?? null]).toEqual(told);
});

test.for([
  ['listed', [true, 'link', null]],
  ['waiting', [false, 'link; People/alunos: removes all', 'svc why People/alunos says what to do']],
  ['unknown', [false, 'link; People/alunos: removes all', 'svc why People/alunos says what to do']],
] as const)('sign-in, with a list of people that is %s', async ([state, told]) => {
  const list = { key: 'People/alunos', state, reason: 'PendingPrune', message: 'removes all' };
  const rows = await runDoctor({
    runsHere: () => ({ apps: true, jobs: true }),
    more: {},
    site: { scheme: 'http' },
    people: { signIn: () => ({ ssh: false, oidc: null }) },
    admin: { objects: (prefix: string) => (prefix === 'People/' ? [list] : []) },
  } as unknown as DoctorDeps);
  const row = rows.find(({ name }) => name === 'sign-in');
  expect([row?.ok, row?.detail.en, row?.fix?.en ?? null]).toEqual(told);
});
