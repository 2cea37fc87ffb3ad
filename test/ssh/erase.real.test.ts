/**
 * `svc person erase` over a real sshd and a real `svc up`: a person with rooms, jobs, files and an app that runs, and the same for one who is cut off at each
 * step. Afterwards disk and portal are searched for remains. Needs root.
 */
import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { promisify } from 'node:util';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { eraseFaultPoints } from '../../controller/faults.ts';
import type { HeldOfPerson } from '../../schema/erasure.ts';
import type { SpaceRow } from '../../schema/space.ts';
import { everyNth } from '../support/share.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startSshd, type TestAccount, type TestSshd } from '../support/sshd.ts';

const execute = promisify(execFile);

/** Whoever gets the rooms, and one for each step. */
const killedAt = everyNth(
  4,
  eraseFaultPoints.map((point, index) => [point, `p${index}`] as const),
);
// So few that the guard would hold each of them back: who is erased was named, and goes.
const names = ['bia', 'ana', ...killedAt.map(([, person]) => person), 'presa'];
let sshd: TestSshd;
let folder: string;
let portal: RunningPortal;
const accounts = new Map<string, TestAccount>();
const account = (name: string): TestAccount => accounts.get(name) as TestAccount;
const file = (): string => join(folder, 'd/gente.yaml');
const svc = (...args: readonly string[]) => runSvc(folder, [...args, '--state', portal.state]);

beforeAll(async () => {
  sshd = await startSshd({ accounts: names.length });
  names.forEach((name, index) => accounts.set(name, sshd.accounts[index] as TestAccount));
  folder = await mkdtemp(join(tmpdir(), 'svce-'));
  await mkdir(join(folder, 'd'));
  const ssh = { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey, key: { file: sshd.keyFile }, kit: sshd.kit, prefix: sshd.dir };
  const versionOf = (app: string): string =>
    (JSON.parse(readFileSync(join(repository, `examples/apps/${app}/svc-app.json`), 'utf8')) as { version: string }).version;
  const site = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(join(repository, 'examples/apps'))}, fila: { clusters: [aqui] } }`,
    'kind: Cluster\nmetadata: { name: aqui }\nspec: { scheduler: { local: { trusted: true } } }',
    `kind: Server\nmetadata: { name: sirius }\nspec: ${JSON.stringify({ ssh })}`,
    ...['caderno', 'moinho'].map(
      (app) => `kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: "${versionOf(app)}", server: sirius }`,
    ),
  ];
  await writeFile(join(folder, 'd/casa.yaml'), site.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  const people = names.map(
    (name) =>
      `# of ${name}\napiVersion: svc/v1\nkind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: sirius, account: ${account(name).name} }\n`,
  );
  await writeFile(file(), people.join('---\n'));
  portal = await startPortal({ desired: join(folder, 'd') });
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

const ok = (answer: { readonly status: number; readonly text: string }): void => {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
};

/** Rooms, a role, a job, preferences, a session, an app that runs, and files of their own beside what svc made. */
async function live(person: string): Promise<void> {
  const page = await signedIn(person);
  const { home, uid } = account(person);
  await until(`the app of ${person}`, async () => {
    const { status, body } = await portal.admin('POST', `/api/admin/backends/${person}/caderno/start`);
    return status === 200 && (body as { ready?: boolean }).ready === true;
  });
  ok(await page.call('POST', '/api/salas?app=caderno', { app: 'caderno', nome: `So de ${person}` }));
  const shared = (await page.call('POST', '/api/salas?app=caderno', { app: 'caderno', nome: `De ${person} e bia` })).json() as {
    id: string;
  };
  ok(await page.call('PUT', `/api/salas/${shared.id}/pessoas/bia?app=caderno`, { papel: 'editar' }));
  ok(await page.call('PATCH', '/api/preferencias', { tema: 'escuro' }));
  ok(await page.call('POST', '/api/fila/trabalhos?app=moinho', { chave: 'c', nome: 'n', comando: ['bash', '-c', `echo ${person}`] }));
  await writeFile(join(home, '.svc-apps', 'caderno', 'odd\nname \u001b[31m'), 'x');
  await mkdir(join(home, 'meu'));
  await writeFile(join(home, 'meu/carta.txt'), 'meu');
  // A name of svc that is a link to their own folder.
  await symlink(join(home, 'meu'), join(home, '.svc-jobs'));
  for (const at of ['meu', 'meu/carta.txt', '.svc-apps/caderno/odd\nname \u001b[31m']) await chown(join(home, at), uid, uid);
}

const heldOf = async (person: string): Promise<{ readonly status: number; readonly body: HeldOfPerson }> =>
  (await portal.admin('GET', `/api/admin/people/${person}/held`)) as { readonly status: number; readonly body: HeldOfPerson };
/** Names in a home that svc makes. */
const madeIn = (home: string): readonly string[] =>
  ['.svc-apps', '.local/share/svc-apps', '.svc-jobs', '.cache/svc'].filter((name) => {
    const found = lstatSync(join(home, name), { throwIfNoEntry: false });
    return found !== undefined;
  });

function isGone(person: string): void {
  const { home } = account(person);
  expect(madeIn(home)).toEqual([]);
  expect(readFileSync(join(home, 'meu/carta.txt'), 'utf8')).toBe('meu');
  expect(readFileSync(file(), 'utf8')).not.toContain(`name: ${person} `);
  expect(sshd.processes().filter(({ uid }) => uid === account(person).uid)).toEqual([]);
}

test('a report of what is held changes nothing; a name that nobody has is no person', async () => {
  await live('ana');
  const before = [readFileSync(file(), 'utf8'), JSON.stringify(madeIn(account('ana').home))];
  const { code, out } = await svc('person', 'erase', 'ana');
  expect(code).toBe(2);
  expect(out).toMatch(/rooms that they own: 2/);
  expect(out).toMatch(/De ana e bia \(caderno\)/);
  expect(out).toMatch(/jobs: 1/);
  expect(out).toMatch(/~\/\.svc-apps of \S+ on sirius: \d/);
  expect([readFileSync(file(), 'utf8'), JSON.stringify(madeIn(account('ana').home))]).toEqual(before);
  expect((await heldOf('ana')).body.erasure).toBeNull();
  for (const name of ['ninguem', '..', '%2e%2e', 'a\u0000b', '-x'])
    expect((await svc('person', 'erase', '--yes', '--', name.replace('\0', ''))).code).toBe(1);
});

test(
  'the disk is told by person, app, version and room, as du counts it; a server that is away is unknown',
  { timeout: 120_000 },
  async () => {
    const rowsOf = async (...words: readonly string[]): Promise<readonly SpaceRow[]> =>
      (JSON.parse((await svc('du', ...words, '-o', 'json')).out) as { rows: readonly SpaceRow[] }).rows;
    const { home } = account('ana');
    const { stdout } = await execute('du', ['-sk', join(home, '.svc-apps/caderno')]);
    const ana = await rowsOf('--person', 'ana');
    const kb = (ana.find(({ what, app }) => what === 'app data' && app === 'caderno')?.bytes ?? 0) / 1_024;
    // It runs: a line of its log may be a block more.
    expect(Math.abs(kb - Number(stdout.split('\t')[0]))).toBeLessThanOrEqual(8);
    expect(ana.filter(({ what }) => what === 'room').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['So de ana', 'De ana e bia']),
    );
    const all = await rowsOf();
    expect(all.filter(({ what, app, person }) => what === 'app' && app === 'caderno' && person === null)).toMatchObject([
      { server: 'sirius', bytes: expect.any(Number) as number, isAtLeast: false },
    ]);
    expect(all.find(({ name }) => name === 'svc.db')?.bytes).toBeGreaterThan(0);
    expect(all.find(({ name }) => name === 'log')).toMatchObject({ bytes: null, note: expect.stringContaining('journalctl') as string });
    expect((await svc('du', '--person', 'ninguem')).err).toMatch(/NOT_FOUND/);
    await sshd.halt();
    expect((await rowsOf('--person', 'ana')).find(({ server }) => server === 'sirius')).toMatchObject({ bytes: null, isAtLeast: false });
    await sshd.resume();
  },
);

test('rooms that others are in hold it up until somebody is to have them; then nothing is left', { timeout: 240_000 }, async () => {
  const refused = await svc('person', 'erase', 'ana', '--yes');
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/CONFLICT others are in rooms that ana owns.*--rooms-to.*De ana e bia/),
  ]);
  for (const to of ['ana', 'ninguem'])
    expect((await svc('person', 'erase', 'ana', '--yes', '--rooms-to', to)).err).toMatch(/NOT_FOUND rooms can't go to/);
  expect((await heldOf('ana')).body.erasure).toBeNull();
  // Two at once: one does it, the other one finds it done or waits for it.
  const both = await Promise.all([1, 2].map(() => svc('person', 'erase', 'ana', '--yes', '--rooms-to', 'bia')));
  expect(both.map(({ code }) => code)).toContain(0);
  expect(both.map(({ out }) => out).join('')).toMatch(/nothing is left of ana/);
  isGone('ana');
  expect((await heldOf('ana')).status).toBe(404);
  expect(readFileSync(file(), 'utf8')).toContain('# of bia');
  const rooms = (await (await signedIn('bia')).call('GET', '/api/salas?app=caderno')).json() as {
    salas: { nome: string; papel: string }[];
  };
  expect(rooms.salas.map(({ nome, papel }) => `${nome} ${papel}`)).toEqual(['De ana e bia dona']);
});

test.for(killedAt)('killed at %s it ends after the next start', { timeout: 240_000 }, async ([point, person]) => {
  await live(person);
  await portal.kill();
  await portal.again({ SVC_FAULT_POINT: point });
  const cut = await svc('person', 'erase', person, '--yes', '--rooms-to', 'bia');
  expect(cut.code).toBe(1);
  await portal.again();
  const { code, out, err } = await svc('person', 'erase', person, '--yes', '--rooms-to', 'bia');
  expect([code, err, out]).toEqual([0, '', expect.stringContaining(`nothing is left of ${person}`)]);
  isGone(person);
  expect((await heldOf(person)).status).toBe(404);
});

test('a server that does not answer holds the end up, and it ends when the server is back', { timeout: 240_000 }, async () => {
  await live('presa');
  await sshd.halt();
  const running = svc('person', 'erase', 'presa', '--yes', '--rooms-to', 'bia');
  await until('the word of the server', async () => {
    const { body } = await portal.admin('GET', '/api/admin/objects?prefix=Person/presa');
    return JSON.stringify(body).includes('does not answer');
  });
  expect(existsSync(join(account('presa').home, '.svc-apps'))).toBe(true);
  await sshd.resume();
  const { out, err } = await running;
  expect(`${out}${err}`).toMatch(/nothing is left of presa/);
  isGone('presa');
  expect(readdirSync(account('presa').home)).toContain('meu');
});
