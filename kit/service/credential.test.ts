/** The file that the service manager of a server-scope app reads at each start; the real one: test/server/server.machine.test.ts. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyCredential, readOrder, type ServiceManager } from './credential.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'svc-cred-'));
  mkdirSync(dirname(unitFile()), { recursive: true });
  writeFileSync(unitFile(), '[Service]\nEnvironmentFile=-/etc/svc-kit/portal/mural.env\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (): string => join(root, 'etc/svc-kit/portal/mural.env');
const unitFile = (): string => join(root, 'etc/systemd/system/svc-app-mural.service');
const give = (token: string) =>
  readOrder(`give\nSVC_PORTAL_URL=http://127.0.0.1:8787\nSVC_PORTAL_TOKEN=${token}\nSVC_PORTAL_SCOPES=salas,fila\n`);
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A unit whose process reads the file when it starts, as systemd does. */
function unit() {
  let runs = 0;
  const made = {
    state: 'inactive',
    run: '',
    /** Token that the process was started with. */
    has: null as string | null,
    reloads: 0,
    /** Called before each question. */
    asked: (): void => undefined,
    start: (): void => {
      runs += 1;
      made.run = String(runs).padStart(32, '0');
      made.state = 'active';
      made.has = /^SVC_PORTAL_TOKEN=(.*)$/m.exec(readFileSync(file(), 'utf8'))?.[1] ?? null;
    },
  };
  const manager: ServiceManager = {
    show: async () => {
      made.asked();
      return { state: made.state, run: made.run };
    },
    tryRestart: async () => {
      if (made.state === 'active') made.start();
    },
    reload: async () => void (made.reloads += 1),
  };
  return { made, apply: (order: Parameters<typeof applyCredential>[1]) => applyCredential('mural', order, manager, root) };
}

test('is a file of its owner alone, in a folder of its owner alone, and nothing lies beside it', async () => {
  const { apply } = unit();
  expect(await apply({ act: 'look' })).toEqual({ token: null, unit: 'stopped', taken: false });
  expect(await apply(give('abc'))).toEqual({ token: sha256('abc'), unit: 'stopped', taken: false });
  expect([statSync(file()).mode & 0o777, statSync(dirname(file())).mode & 0o777, readdirSync(dirname(file()))]).toEqual([
    0o600,
    0o700,
    ['mural.env'],
  ]);
  expect(readFileSync(file(), 'utf8')).toBe(
    '# \nSVC_PORTAL_URL=http://127.0.0.1:8787\nSVC_PORTAL_TOKEN=abc\nSVC_PORTAL_SCOPES=salas,fila\n',
  );
  expect(await apply(readOrder('give\n'))).toEqual({ token: null, unit: 'stopped', taken: false });
  expect(readdirSync(dirname(file()))).toEqual([]);
});

test('of an app that is removed while it is given nothing stays', async () => {
  const { made, apply } = unit();
  made.asked = () => rmSync(unitFile(), { force: true });
  expect(await apply(give('abc'))).toEqual({ token: null, unit: 'stopped', taken: false });
  expect(readdirSync(dirname(file()))).toEqual([]);
});

test('a look tells whether what runs was started with it', async () => {
  const { made, apply } = unit();
  await apply(give('one'));
  made.start();
  expect(await apply({ act: 'look' })).toEqual({ token: sha256('one'), unit: 'active', taken: true });
  expect(await apply(give('two'))).toEqual({ token: sha256('two'), unit: 'active', taken: false });
  expect(made.has).toBe('one');
  expect(await apply({ act: 'restart' })).toEqual({ token: sha256('two'), unit: 'active', taken: true });
  expect(made.has).toBe('two');
  made.state = 'failed';
  expect(await apply({ act: 'look' })).toMatchObject({ unit: 'stopped', taken: true });
  made.state = 'activating';
  expect(await apply({ act: 'look' })).toMatchObject({ unit: 'changing' });
  // A stopped service is not started.
  made.state = 'inactive';
  await apply(give('three'));
  expect(await apply({ act: 'restart' })).toEqual({ token: sha256('three'), unit: 'stopped', taken: false });
  expect(made.has).toBe('two');
});

test('a start while it is written is never taken for one that read it', async () => {
  for (const at of [1, 2, 3, 4]) {
    const { made, apply } = unit();
    await apply(give('old'));
    made.start();
    let asked = 0;
    made.asked = () => {
      asked += 1;
      if (asked === at) made.start();
    };
    const told = await apply(give('new'));
    expect([at, told.taken ? made.has : 'new']).toEqual([at, 'new']);
    made.asked = () => undefined;
    await apply({ act: 'restart' });
    expect([at, made.has, (await apply({ act: 'look' })).taken]).toEqual([at, 'new', true]);
  }
});

test.for(['', 'EnvironmentFile=-/etc/svc/portal/mural.env\n'])('the unit of an older kit (%j) is made to read it, once', async (before) => {
  const { made, apply } = unit();
  writeFileSync(unitFile(), `[Service]\nType=exec\n${before}ExecStart=/opt/svc/bin/svc-app-serve mural\nExecStartPost=/x --open mural\n`);
  await apply(give('one'));
  await apply(give('two'));
  expect(readFileSync(unitFile(), 'utf8')).toBe(
    '[Service]\nType=exec\nEnvironmentFile=-/etc/svc-kit/portal/mural.env\nExecStart=/opt/svc/bin/svc-app-serve mural\nExecStartPost=/x --open mural\n',
  );
  expect(made.reloads).toBe(1);
});

test.for([
  '',
  'take\n',
  'look\nSVC_PORTAL_TOKEN=x\n',
  'give\nSVC_PORTAL_TOKEN=\n',
  'give\nPATH=/tmp\n',
  'give\nSVC_PORTAL_TOKEN=a b\n',
  'give\nSVC_PORTAL_TOKEN="x"\n',
  'give\nSVC_PORTAL_TOKEN=x\\\n',
  'give\nSVC_PORTAL_URL=http://x;y\n',
  `give\nSVC_PORTAL_TOKEN=${'x'.repeat(2_049)}\n`,
])('no order: %j', (text) => {
  expect(() => readOrder(text)).toThrowError(expect.objectContaining({ code: 'BAD_REQUEST' }));
});
