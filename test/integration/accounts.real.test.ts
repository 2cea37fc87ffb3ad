/** A portal that is root lends the people of a local server their accounts (docs/decisions/0151-people-of-a-local-server.md). */
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addAccount, removeAccount, sweep, type TestAccount } from '../support/sshd.ts';
import { emptyServer, processesBelow, repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { view } from './world.ts';

const call = promisify(execFile);
const app = 'notas';
let dir = '';
let prefix = '';
let desired = '';
let portal: RunningPortal;
const accounts: TestAccount[] = [];
const [ana, bia] = [() => accounts[0]!, () => accounts[1]!];

function writeDesired(more: readonly string[] = [], local = `prefix: "${prefix}"`): void {
  const packages = join(repository, 'examples/apps');
  const { version } = JSON.parse(readFileSync(join(packages, app, 'svc-app.json'), 'utf8')) as { version: string };
  const documents = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(packages)} }`,
    `kind: Server\nmetadata: { name: casa }\nspec: { local: { ${local} } }`,
    `kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: "${version}", server: casa, instalacao: sistema }`,
    ...accounts.flatMap(({ name }) => [
      `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: casa }`,
      `kind: Backend\nmetadata: { name: ${name}-${app} }\nspec: { app: ${app}, pessoa: ${name}, estado: ligado }`,
    ]),
    ...more,
  ];
  writeFileSync(join(desired, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
}

beforeAll(async () => {
  await sweep();
  dir = mkdtempSync(join(tmpdir(), 'svcs-'));
  [prefix, desired] = [join(dir, 'p'), join(dir, 'd')];
  for (const folder of ['', 'h', 'p', 'd']) {
    mkdirSync(join(dir, folder), { recursive: true });
    chmodSync(join(dir, folder), 0o755);
  }
  for (let n = 0; n < 2; n += 1) accounts.push(await addAccount(dir, undefined));
  writeDesired();
  portal = await startPortal({ desired });
});

afterAll(async () => {
  await portal?.stop();
  await emptyServer(prefix);
  for (const { name } of accounts) await removeAccount(name);
  rmSync(dir, { recursive: true, force: true });
});

/** By pid: whose it is, and what it runs. */
function processesOf({ uid }: TestAccount): ReadonlyMap<number, string> {
  return new Map(
    readdirSync('/proc').flatMap((pid) => {
      try {
        if (!/^\d+$/.test(pid) || Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) !== uid) return [];
        return [[Number(pid), readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] as const];
      } catch {
        return [];
      }
    }),
  );
}

const isDoor = (title: string): boolean => title.includes('account-door-main');
const doorsOf = (one: TestAccount) => [...processesOf(one)].filter(([, title]) => isDoor(title)).map(([pid]) => pid);
const othersOf = (one: TestAccount) =>
  [...processesOf(one)]
    .filter(([, title]) => title !== '' && !isDoor(title))
    .map(([pid]) => pid)
    .sort((left, right) => left - right);

function as({ name }: TestAccount, ...argv: readonly string[]): Promise<string> {
  return call('setpriv', [`--reuid=${name}`, `--regid=${name}`, '--init-groups', '--', ...argv], { cwd: '/' }).then(
    ({ stdout }) => stdout,
    (error: Error & { stderr: string }) => `refused: ${error.stderr}`,
  );
}

const whenRunning = (one: TestAccount) =>
  until(`${one.name}/${app} running`, async () => {
    const found = await view(portal, `Backend/${one.name}/${app}`).catch(() => null);
    return found?.state === 'running' ? found : null;
  });

async function separation(): Promise<{ readonly ok: boolean; readonly detail: string }> {
  const { body } = await portal.admin('GET', '/api/admin/doctor');
  return (body as { checks: { name: string; ok: boolean; detail: string }[] }).checks.find(({ name }) => name === 'separation')!;
}

test("apps run as the accounts of their people, and nobody reads what is another's or the portal's", async () => {
  for (const one of [ana(), bia()]) await whenRunning(one);
  const running = processesBelow(prefix);
  const owned = [ana(), bia()].map(processesOf);
  for (const own of owned) expect(running.filter(({ pid, app: of }) => of === app && own.has(pid)).length).toBeGreaterThan(0);
  expect(running.filter(({ pid }) => !owned.some((own) => own.has(pid)))).toEqual([]);
  const home = `${prefix}/home/${ana().name}`;
  const files = [`${home}/.svc-apps/${app}/env`, `${home}/.svc-apps/${app}/app.sock`, `${home}/.svc-apps/supervisor.sock`];
  for (const file of files) {
    expect(statSync(file).uid).toBe(ana().uid);
    expect(await as(bia(), 'stat', file)).toMatch(/^refused: .*Permission denied/);
  }
  for (const file of ['svc.sock', 'svc.db']) {
    expect(await as(bia(), 'stat', join(portal.state, file))).toMatch(/^refused: .*Permission denied/);
  }
  expect(portal.output()).not.toContain('as the account of the portal');
  expect(await separation()).toMatchObject({ ok: true });
});

test('the portal is killed: its doors end, what they started goes on, and the next portal finds it', async () => {
  const before = othersOf(ana());
  expect(doorsOf(ana()).length).toBe(1);
  // Its groups are those of the account, and none of root.
  const [, groups = ''] = /^Groups:[ \t]*(.*?) *$/m.exec(readFileSync(`/proc/${doorsOf(ana())[0]}/status`, 'utf8')) ?? [];
  expect(groups.split(' ').toSorted()).toEqual((await as(ana(), 'id', '-G')).trim().split(' ').toSorted());
  await portal.kill();
  await until('the end of the doors', () => doorsOf(ana()).length + doorsOf(bia()).length === 0);
  expect(othersOf(ana())).toEqual(before);
  await portal.again();
  await whenRunning(ana());
  expect(othersOf(ana())).toEqual(before);
  expect(doorsOf(ana()).length).toBe(1);
  process.kill(portal.pid, 'SIGTERM');
  await until('the end of the portal', () => !readdirSync('/proc').includes(String(portal.pid)));
  expect([...doorsOf(ana()), ...doorsOf(bia())]).toEqual([]);
  expect(othersOf(ana())).toEqual(before);
});

test('one without an account is refused until everybody is called trusted, and then it is said', async () => {
  const noAccount = ['kind: Person\nmetadata: { name: svctnone }\nspec: { nome: None, login: none, server: casa }'];
  writeDesired(noAccount);
  const validate = () =>
    call(join(repository, 'bin/svc'), ['validate', desired]).then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    );
  expect(await validate()).toMatch(/UNSEPARATED_PEOPLE the apps of some people of the local server "casa"/);
  writeDesired();
  expect(await validate()).toContain('0 errors');
  writeDesired(noAccount, `prefix: "${prefix}", trusted: true`);
  expect(await validate()).toContain('0 errors');
  await portal.kill();
  await portal.again();
  await until('the note', () => /note: on the local server casa the apps of svctnone run as/.test(portal.output()));
  await until('the warning', async () => {
    const { ok, detail } = await separation();
    return (
      !ok &&
      /apps of svctnone run as the account of the portal, root: .*\(there is no account svctnone: adduser svctnone makes it\)/.test(detail)
    );
  });
});
