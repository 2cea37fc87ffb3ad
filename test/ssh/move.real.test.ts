/**
 * `svc person move` over two real sshd, the second one with homes of its own as another machine has them, and a real `svc up`: somebody whose app runs, one who is cut
 * off on the way, and one whose home is the same on both servers. Needs root.
 */
import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startSshd, type SshdBeside, type TestAccount, type TestSshd } from '../support/sshd.ts';

const config = ['Subsystem sftp internal-sftp'];
const names = ['ana', 'bia', 'caio'];
let sshd: TestSshd;
let other: SshdBeside;
let folder: string;
let portal: RunningPortal;
const account = (name: string): TestAccount => sshd.accounts[names.indexOf(name)] as TestAccount;
const file = (): string => join(folder, 'd/gente.yaml');
const svc = (...args: readonly string[]) => runSvc(folder, [...args, '--state', portal.state]);
/** As it is on this machine, and on the other one. */
const here = (person: string, ...rest: readonly string[]): string => join(account(person).home, ...rest);
const there = (person: string, ...rest: readonly string[]): string => join(sshd.dir, 'h2', account(person).name, ...rest);
const data = '.svc-apps/caderno/data';

beforeAll(async () => {
  sshd = await startSshd({ accounts: names.length, config });
  for (const name of ['h2', 'p2', 'p3']) await mkdir(join(sshd.dir, name), { mode: 0o755 });
  for (const name of names) {
    await mkdir(there(name), { mode: 0o700 });
    await chown(there(name), account(name).uid, account(name).uid);
  }
  other = await sshd.beside(config, join(sshd.dir, 'h2'));
  folder = await mkdtemp(join(tmpdir(), 'svcm-'));
  await mkdir(join(folder, 'd'));
  const ssh = (port: number, prefix: string) => ({
    ssh: { host: '127.0.0.1', port, hostKey: sshd.hostKey, key: { file: sshd.keyFile }, kit: sshd.kit, prefix },
  });
  const { version } = JSON.parse(readFileSync(join(repository, 'examples/apps/caderno/svc-app.json'), 'utf8')) as { version: string };
  const site = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(join(repository, 'examples/apps'))} }`,
    `kind: Server\nmetadata: { name: sirius }\nspec: ${JSON.stringify(ssh(sshd.port, sshd.dir))}`,
    `kind: Server\nmetadata: { name: vega }\nspec: ${JSON.stringify(ssh(other.port, join(sshd.dir, 'p2')))}`,
    `kind: Server\nmetadata: { name: gemea }\nspec: ${JSON.stringify(ssh(sshd.port, join(sshd.dir, 'p3')))}`,
    `kind: Package\nmetadata: { name: caderno }\nspec: { app: caderno, versao: "${version}", servers: [sirius, vega, gemea] }`,
  ];
  await writeFile(join(folder, 'd/casa.yaml'), site.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  const people = names.map(
    (name) =>
      `# of ${name}\napiVersion: svc/v1\nkind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: sirius, account: ${account(name).name} }\n`,
  );
  await writeFile(file(), people.join('---\n'));
  portal = await startPortal({ desired: join(folder, 'd') });
  for (const name of ['sirius', 'vega', 'gemea'])
    await until(`caderno on ${name}`, async () => {
      const { body } = await portal.admin('GET', `/api/admin/objects?prefix=Package/caderno@${name}`);
      return JSON.stringify(body).includes('"installed"');
    });
}, 300_000);

afterAll(async () => {
  await portal?.stop();
  await sshd?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

async function signedIn(person: string): Promise<Browser> {
  const { link } = (await portal.admin('POST', '/api/admin/links', { person })).body as { link: string };
  const host = `svc.localhost:${portal.port}`;
  const browser = createBrowser({ host, port: portal.port, url: `http://${host}`, received: [] });
  const { pathname, search } = new URL(link);
  expect((await browser.request(pathname + search, { headers: navigation })).status).toBe(302);
  return browser;
}

const isReady = async (person: string): Promise<boolean> => {
  const { body } = await portal.admin('GET', `/api/admin/objects?prefix=Backend/${person}/caderno`);
  return JSON.stringify(body).includes('"ready":true');
};
/** Prefixes of the servers where the app of a person runs. */
const runsIn = (person: string): readonly string[] => {
  const found = sshd.processes().filter(({ uid, app }) => uid === account(person).uid && app === 'caderno');
  return [
    ...new Set(found.flatMap(({ argv }) => argv.flatMap((word) => /\/(svcs-[^/]+(?:\/p[23])?)\/opt\/svc-apps\//.exec(word)?.[1] ?? []))),
  ];
};

/** Their app runs, and has data: with a mode, a time and a link. */
async function live(person: string): Promise<Browser> {
  const page = await signedIn(person);
  await until(`the app of ${person}`, async () => {
    const { status, body } = await portal.admin('POST', `/api/admin/backends/${person}/caderno/start`);
    return status === 200 && (body as { ready?: boolean }).ready === true;
  });
  const { uid } = account(person);
  await mkdir(here(person, data), { recursive: true, mode: 0o700 });
  await chown(here(person, data), uid, uid);
  await writeFile(here(person, data, 'carta.txt'), `de ${person}`.repeat(100_000));
  await chmod(here(person, data, 'carta.txt'), 0o640);
  await symlink('/etc/hostname', here(person, data, 'link'));
  await chown(here(person, data, 'carta.txt'), uid, uid);
  await utimes(here(person, data, 'carta.txt'), 1_000_000, 1_000_000);
  await writeFile(here(person, 'own.txt'), 'own');
  return page;
}

function isThere(person: string): void {
  const letter = there(person, data, 'carta.txt');
  const { mode, mtimeMs, uid } = lstatSync(letter);
  expect([mode & 0o777, mtimeMs, uid]).toEqual([0o640, 1_000_000_000, account(person).uid]);
  expect(readFileSync(letter, 'utf8') === readFileSync(here(person, data, 'carta.txt'), 'utf8')).toBe(true);
  expect(readlinkSync(there(person, data, 'link'))).toBe('/etc/hostname');
  expect([existsSync(there(person, 'own.txt')), existsSync(there(person, '.svc-apps/.moving'))]).toEqual([false, false]);
}

test('somebody goes with the data of their app, which runs there afterwards; they stay signed in', { timeout: 240_000 }, async () => {
  const page = await live('ana');
  const before = readFileSync(file(), 'utf8');
  const plan = await svc('person', 'move', 'ana', '--to', 'vega');
  expect([plan.code, plan.err]).toEqual([2, '']);
  expect(plan.out).toMatch(/will {2}Backend\/ana\/caderno is stopped, and started on vega/);
  expect(plan.out).toMatch(/will {2}~\/\.svc-apps\/caderno\/data of caderno is copied, \d+ files?, \d/);
  expect([readFileSync(file(), 'utf8'), existsSync(there('ana', '.svc-apps'))]).toEqual([before, false]);
  const { code, out, err } = await svc('person', 'move', 'ana', '--to', 'vega', '--yes');
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/ana is on vega; the old copy on sirius stays/);
  isThere('ana');
  expect(readFileSync(file(), 'utf8')).toBe(before.replace('server: sirius', 'server: vega'));
  await until('the app on vega', () => isReady('ana'));
  expect(runsIn('ana')).toEqual([expect.stringMatching(/\/p2$/)]);
  expect((await page.call('GET', '/api/preferencias')).status).toBe(200);
  expect((await svc('audit', '--action', 'person/move')).out).toMatch(/Person\/ana/);
  const cleaned = await svc('person', 'move', 'ana', '--to', 'vega', '--clean', '--yes');
  expect([cleaned.code, cleaned.err]).toEqual([0, '']);
  expect([existsSync(here('ana', '.svc-apps')), readFileSync(here('ana', 'own.txt'), 'utf8')]).toEqual([false, 'own']);
  expect(existsSync(there('ana', data, 'carta.txt'))).toBe(true);
});

test('a portal that is killed on the way leaves them where they were, and the next try ends it', { timeout: 240_000 }, async () => {
  await live('bia');
  await portal.kill();
  await portal.again({ SVC_FAULT_POINT: 'person-move/placed' });
  await until('the app of bia', () => isReady('bia'));
  const cut = await svc('person', 'move', 'bia', '--to', 'vega', '--yes');
  expect([cut.code, cut.out]).toEqual([1, expect.stringContaining('is copied and the same')]);
  await portal.again();
  expect(readFileSync(file(), 'utf8')).toMatch(/name: bia \}\nspec: \{[^}]* server: sirius/);
  await until('their app where they were', async () => {
    const { body } = await portal.admin('POST', '/api/admin/backends/bia/caderno/start');
    return (body as { ready?: boolean }).ready === true;
  });
  const { code, err } = await svc('person', 'move', 'bia', '--to', 'vega', '--yes');
  expect([code, err]).toEqual([0, '']);
  isThere('bia');
  await until('the app on vega', () => isReady('bia'));
  expect(runsIn('bia')).toEqual([expect.stringMatching(/\/p2$/)]);
});

test('a home that both servers share is not copied', { timeout: 240_000 }, async () => {
  await live('caio');
  const { code, out, err } = await svc('person', 'move', 'caio', '--to', 'gemea', '--yes');
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/the home is the same on both servers: nothing is copied/);
  await until('the app on gemea', () => isReady('caio'));
  expect([runsIn('caio'), readFileSync(here('caio', data, 'carta.txt'), 'utf8').length]).toEqual([
    [expect.stringMatching(/\/p3$/)],
    700_000,
  ]);
});

test('a server that does not answer, or that nobody wrote, takes nobody', { timeout: 120_000 }, async () => {
  expect((await svc('person', 'move', 'caio', '--to', 'lira', '--yes')).err).toMatch(/NOT_FOUND no Server document lira/);
  await other.halt();
  const { code, err } = await svc('person', 'move', 'caio', '--to', 'vega', '--yes');
  expect([code, err]).toEqual([1, expect.stringContaining('SERVER_UNREACHABLE')]);
  expect(await isReady('caio')).toBe(true);
});
