/** Tests `svc why`, from a status alone. */
import { expect, test } from 'vitest';
import type { StoredStatus } from '../../store/store.ts';
import type { BackendEntry } from '../entries.ts';
import { whyOf } from './why.ts';

const running: StoredStatus = {
  key: 'Backend/ana/notas',
  kind: 'Backend',
  state: 'running',
  reason: 'Healthy',
  message: 'answers its health probe with 200',
  conditions: [],
  nextDeadlineMs: null,
  generation: 1,
  seenAtMs: 0,
  memory: null,
  details: {},
};

test('a running app with a deadline says what the deadline is for', () => {
  expect(whyOf({ status: running, entry: undefined, log: '' })).toMatchObject({ waitsFor: null, nextDeadlineMs: null });
  const closing = whyOf({ status: { ...running, nextDeadlineMs: 120_000 }, entry: undefined, log: '' });
  expect(closing).toMatchObject({ waitsFor: expect.stringContaining('its aoFechar stops it'), nextDeadlineMs: 120_000 });
});

test('since is when the state began, not when the app was last ready', () => {
  const waiting: StoredStatus = {
    ...running,
    state: 'starting',
    reason: 'SettingUp',
    conditions: [
      { type: 'Ready', status: 'False', reason: 'SettingUp', message: '', sinceMs: 1_000 },
    ] as unknown as StoredStatus['conditions'],
  };
  const entry = {
    app: 'notas',
    person: { name: 'ana', link: { view: () => ({ supervisor: null }), snapshot: () => null } },
    memory: { context: { sinceMs: 600_000 } },
  } as unknown as BackendEntry;
  expect(whyOf({ status: waiting, entry, log: '' }).sentence).toContain('is starting since 1970-01-01T00:10:00.000Z');
});

const lively = {
  process: {},
  contained: true,
  containedReason: '',
  secrets: { declared: 1, missing: [], restartNeeded: false },
  gpu: null,
};

/** A backend with this manifest and snapshot. */
const entryWith = (aoFechar: string, snapshot: object): BackendEntry =>
  ({
    app: 'notas',
    person: {
      name: 'ana',
      packages: new Map([['notas', { manifest: { backend: { aoFechar } } }]]),
      link: { view: () => ({ supervisor: null }), snapshot: () => ({ lastExit: null, pinned: false, ...lively, ...snapshot }) },
    },
    memory: null,
  }) as unknown as BackendEntry;

test.for([
  ['Package/notas', /^raise "version" in \/apps\/notas\/svc-app.json and versao in its document; or, .* svc apply, and put it back$/],
  ['Package/ana/notas', /^raise "version" in \/apps\/notas\/svc-app.json: the shop offers the update; or remove the app in the shop/],
] as const)('%s that was installed from other files says so, and what to do about it', ([key, fix]) => {
  const stale = { type: 'Stale', status: 'True', reason: 'SourceChanged', message: 'was installed from other files' };
  const status = {
    ...running,
    key,
    kind: 'Package',
    state: 'installed',
    reason: 'Installed',
    message: 'version 1.0.0',
    details: { source: '/apps/notas' },
    conditions: [stale] as unknown as StoredStatus['conditions'],
  } satisfies StoredStatus;
  const answer = whyOf({ status, entry: undefined, log: '' });
  expect(answer.sentence).toMatch(/^Package.* is installed .*\. It was installed from other files\.$/);
  expect(answer.fix).toMatch(fix);
});

test('a running app with other code than what is installed says so, and how it comes to run it', () => {
  const stale = { type: 'Stale', status: 'True', reason: 'HashChanged', message: 'runs other code than what is installed' };
  const status = { ...running, conditions: [stale] as unknown as StoredStatus['conditions'] };
  const answer = whyOf({ status, entry: entryWith('manter', { connections: 0 }), log: '' });
  expect(answer.sentence).toMatch(/ because it answers its health probe.*\. It runs other code than what is installed\.$/);
  expect(answer.fix).toBe('restart it to run the installed code: svc restart ana/notas');
});

const waiting = (aoFechar: string, snapshot: object): string | null =>
  whyOf({ status: running, entry: entryWith(aoFechar, snapshot), log: '' }).waitsFor;

test('a running app with ocioso says which connections it waits for', () => {
  expect(waiting('ocioso:1m', { connections: 2 })).toBe(
    'its 2 open connections to close, then ocioso:1m counts; the portal keeps its own for 25 s after the last request',
  );
  expect(waiting('ocioso:1m', { connections: 1, busy: 'cpu:20%' })).toBe('its work to end (cpu:20%): until then ocioso:1m does not begin');
  expect(waiting('ocioso:1m', { connections: null })).toContain('its connections to be countable');
  expect(waiting('ocioso:1m', { connections: 2, pinned: true })).toBeNull();
  expect(waiting('manter', { connections: 2 })).toBeNull();
});

test('an app that went to the background is not sent to its log', () => {
  const message = 'exit code 0; the app left its process and went to the background as pid 7: the entrypoint itself has to stay and serve';
  const status: StoredStatus = { ...running, state: 'backoff', reason: 'ExitedAtOnce', message };
  expect(whyOf({ status, entry: undefined, log: '' }).fix).toMatch(/^make the entrypoint stay and serve/);
});

test('an app that runs again says how often it ended by itself, when the last time was, and how', () => {
  const exit = { code: 1, signal: null, atMs: 3_600_000, reason: 'Crashed', lastLogLines: [] };
  const answer = whyOf({ status: running, entry: entryWith('manter', { wanted: true, restarts: 1, lastExit: exit }), log: '' });
  expect(answer.sentence).toMatch(
    / because it answers its health probe.*\. It was restarted once by itself since it was started, the last time at 1970-01-01T01:00:00\.000Z \(Crashed: exit code 1\)\.$/,
  );
  expect(answer.fix).toBe('read what it printed: svc logs ana/notas --previous');
  const killed = { ...exit, code: null, signal: 'SIGKILL' };
  const often = whyOf({ status: running, entry: entryWith('manter', { wanted: true, restarts: 7, lastExit: killed }), log: '' });
  expect(often.sentence).toMatch(/restarted 7 times by itself .*\(Crashed: ended by SIGKILL\)\.$/);
  const calm = whyOf({ status: running, entry: entryWith('manter', { wanted: true, restarts: 0, lastExit: exit }), log: '' });
  expect(calm.sentence).not.toContain('restarted');
});

test('what failed for good waits for no next attempt; what may be tried again does', () => {
  const failed: StoredStatus = {
    ...running,
    key: 'Package/notas',
    kind: 'Package',
    state: 'failed',
    reason: 'InstallFailed',
    nextDeadlineMs: 9,
  };
  expect(whyOf({ status: failed, entry: undefined, log: '' })).toMatchObject({ waitsFor: 'the next attempt', nextDeadlineMs: 9 });
  const final = whyOf({ status: failed, entry: undefined, log: '', isFinal: true });
  expect(final).toMatchObject({ waitsFor: expect.stringMatching(/^another wish or another offer/), nextDeadlineMs: null });
  // The failure is remembered while another version is on its way.
  const installing: StoredStatus = { ...failed, state: 'installing', reason: 'Installing' };
  expect(whyOf({ status: installing, entry: undefined, log: '', isFinal: true }).waitsFor).toBe('the installation');
});

test('a missing secret is told, and set before anything else is tried', () => {
  const missing = { ...lively, secrets: { declared: 2, missing: ['API_KEY', 'OUTRO'], restartNeeded: false } };
  const runs = whyOf({ status: running, entry: entryWith('manter', missing), log: '' });
  expect(runs.sentence).toMatch(/\. It lacks secrets that its manifest marks as required: API_KEY, OUTRO\.$/);
  expect(runs.fix).toBe('set what is missing: svc secret set ana/notas API_KEY, svc secret set ana/notas OUTRO');
  const crashed: StoredStatus = { ...running, state: 'backoff', reason: 'Crashed', message: '' };
  expect(whyOf({ status: crashed, entry: entryWith('manter', { ...missing, process: null }), log: '' }).fix).toMatch(
    /^set what is missing: .* OUTRO; read what it printed/,
  );
});

test('old values, no ceilings and no GPU are told with their reasons', () => {
  const snapshot = {
    ...lively,
    contained: false,
    containedReason: 'systemd-run is not installed on this server',
    secrets: { declared: 1, missing: [], restartNeeded: true },
    gpu: { modo: 'opcional', concedida: false, motivo: 'em uso por outro app: /dev/dri/renderD128' },
  };
  const answer = whyOf({ status: running, entry: entryWith('manter', snapshot), log: '' });
  expect(answer.sentence).toMatch(
    /It runs with other secrets than are stored now\. It runs without a GPU: in use by another app: .*renderD128\. It runs without ceilings: systemd-run is not installed on this server\.$/,
  );
  expect(answer.fix).toBe('restart it to use the stored secrets: svc restart ana/notas');
  const dead = whyOf({ status: running, entry: entryWith('manter', { ...snapshot, process: null, secrets: lively.secrets }), log: '' });
  expect(dead.sentence).not.toMatch(/ceilings|GPU/);
});

test('an engine that lacks: one command, the same as the launcher writes into run.log', () => {
  const failed: StoredStatus = { ...running, state: 'failed', reason: 'EngineMissing', message: '' };
  const { fix } = whyOf({ status: failed, entry: entryWith('manter', {}), log: '' });
  // kit/launch/engines.test.ts holds the launcher to the same one.
  expect(/svc-app-install [^",]+/.exec(fix ?? '')?.[0]).toBe('svc-app-install notas');
});

test('a fix that is done is not named: where an object wants the package, it is asked', () => {
  const gone: StoredStatus = { ...running, state: 'stopped', reason: 'NotInstalled', message: 'its package is not installed' };
  expect(whyOf({ status: gone, entry: undefined, log: '' }).fix).toBe('write a Package document for it');
  expect(whyOf({ status: gone, entry: undefined, log: '', packageKey: 'Package/notas' })).toMatchObject({
    fix: 'svc why Package/notas says what its package waits for',
    waitsFor: 'its package',
  });
});

test.for([
  ["the home /home/ana can't be written: ENOSPC", /^make room in the home of the account \(df -h, df -i and quota/],
  ["the home /home/ana can't be written: EROFS", /^mount it writable again/],
] as const)('%s: the fix is one, and is that of the cause', ([disk, fix]) => {
  const status: StoredStatus = { ...running, state: 'starting', reason: 'DiskFull', message: disk };
  const entry = entryWith('manter', {});
  Object.assign(entry.person.link, { view: () => ({ supervisor: { disk } }) });
  const answer = whyOf({ status, entry, log: '' });
  expect(answer.fix).toMatch(fix);
  expect(answer.fix?.split('everything goes on by itself').length).toBe(2);
});

test('a process that a signal stopped is named with the command that goes on with it', () => {
  const status: StoredStatus = { ...running, reason: 'Suspended' };
  expect(whyOf({ status, entry: entryWith('manter', { process: { pid: 4_711 } }), log: '' }).fix).toMatch(/^kill -CONT 4711 on its server/);
});

test.for([
  ['Job', 'Job/jmundo', 'CommandFailed', /svc jobs logs jmundo/],
  ['Job', 'Job/jmundo', 'OutputsIncomplete', /svc jobs logs jmundo/],
  ['Job', 'Job/jmundo', 'ClusterChanged', /svc jobs cancel jmundo/],
  ['Package', 'Package/notas', 'RolledBack', /svc rollback notas --undo/],
  ['Package', 'Package/notas', 'SourceRefused', /svc validate with its svc-app\.json/],
] as const)('the command of a fix has the words that it needs: %s, %s, %s', ([kind, key, reason, says]) => {
  expect(whyOf({ status: { ...running, kind, key, reason }, entry: undefined, log: '' }).fix).toMatch(says);
});
