import { expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { runDoctor, type DoctorDeps, type RunsHere } from './doctor.ts';
import { siteOf } from '../http/hosts.ts';
import { createManualClock } from '../testing/manual-clock.ts';

const base = { runsHere: () => ({ apps: true, jobs: true }), more: {}, site: { scheme: 'http' } } as const;

/** Verdict, words and fix of one row; the other rows, of which some run programs, are not asked for. */
async function rowOf(name: string, deps: object): Promise<readonly unknown[]> {
  const [row] = await runDoctor({ ...base, ...deps } as unknown as DoctorDeps, name);
  return [row?.ok, row?.detail.en, row?.fix?.en ?? null];
}

const namesOf = async (here: RunsHere): Promise<readonly string[]> => {
  // Each row guards itself: what it lacks here is its own failure.
  const rows = await runDoctor({ ...base, runsHere: () => here } as unknown as DoctorDeps);
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
  expect(await rowOf('servers', { admin: { objects: () => servers } })).toEqual(told);
});

test.for([
  ['listed', [true, 'link', null]],
  ['waiting', [false, 'link; People/alunos: removes all', 'svc why People/alunos says what to do']],
  ['unknown', [false, 'link; People/alunos: removes all', 'svc why People/alunos says what to do']],
] as const)('sign-in, with a list of people that is %s', async ([state, told]) => {
  const list = { key: 'People/alunos', state, reason: 'PendingPrune', message: 'removes all' };
  const people = { signIn: () => ({ ssh: false, passkey: false, oidc: null }) };
  const admin = { objects: (prefix: string) => (prefix === 'People/' ? [list] : []) };
  expect(await rowOf('sign-in', { people, admin })).toEqual(told);
});

test.for([
  ['http://apps.invalid', 'subdomain', [false, /plain http/, /https/]],
  ['http://127.0.0.1:8787', 'subdomain', [false, /is an address/, /wildcard/]],
  ['http://svc.localhost:8787', 'path', [false, /one origin for all apps/, /wildcard/]],
  ['http://svc.localhost:8787', 'subdomain', [true, /localhost/, /^null$/]],
] as const)('%s with origins: %s, whether it keeps apps apart', async ([url, origins, [ok, detail, fix]]) => {
  const [isOk, told, mends] = await rowOf('subdomains', { site: siteOf(url, 8_787, origins) });
  expect([isOk, told, String(mends)]).toEqual([ok, expect.stringMatching(detail), expect.stringMatching(fix)]);
});

const oidc = { issuer: 'http://localhost:9/x', clientSecret: async () => Promise.resolve('hush') };
const noSecret = async (): Promise<string> => Promise.reject(new SvcError('SECRET_UNREADABLE', 'the file oidc-secret is empty'));
test.for([
  [
    'no server',
    { ssh: true, passkey: false, oidc: null },
    /^link, login and password; no server checks passwords$/,
    /PasswordAuthentication/,
  ],
  ['no provider', { ssh: false, oidc }, /http:\/\/localhost:9\/x does not answer as one: bad port/, /signIn\.oidc\.issuer/],
  ['no secret', { ssh: false, oidc: { ...oidc, clientSecret: noSecret } }, /^the file oidc-secret is empty$/, /clientSecret/],
] as const)('sign-in leads nowhere: %s', async ([, ways, detail, fix]) => {
  const deps = { people: { signIn: () => ways }, admin: { objects: () => [] }, clock: createManualClock() };
  expect(await rowOf('sign-in', deps)).toEqual([false, expect.stringMatching(detail), expect.stringMatching(fix)]);
});
