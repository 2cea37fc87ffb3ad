/** A real `svc up` with accounts of their own: bia, who works, and ana, who attacks. Needs root, which lends the accounts. */
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { emptyServer, repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { addAccount, removeAccount, sweep, type TestAccount } from '../support/sshd.ts';
import { prepared } from './attacks/files.ts';

export interface Someone {
  /** Person and account: they have one name. */
  readonly name: string;
  readonly home: string;
  readonly browser: Browser;
  /** A room of theirs. */
  readonly room: string;
}

export interface FairnessWorld {
  readonly portal: RunningPortal;
  /** Host of the shell. */
  readonly host: string;
  readonly appHost: string;
  readonly victim: Someone;
  readonly attacker: Someone;
  stop(): Promise<void>;
}

const apps = ['notas', 'caderno'] as const;

function writeDesired(folder: string, prefix: string, accounts: readonly TestAccount[]): void {
  const packages = join(repository, 'examples/apps');
  const version = (app: string): string =>
    (JSON.parse(readFileSync(join(packages, app, 'svc-app.json'), 'utf8')) as { version: string }).version;
  const documents = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(packages)} }`,
    `kind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: "${prefix}" } }`,
    ...apps.map((app) => `kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: "${version(app)}", server: casa }`),
    ...accounts.flatMap(({ name }) => [
      `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${name}, login: ${name}, server: casa }`,
      `kind: Backend\nmetadata: { name: ${name}-notas }\nspec: { app: notas, pessoa: ${name}, estado: ligado }`,
      `kind: Grant\nmetadata: { name: ${name}-sala }\nspec: { app: caderno, sala: Sala de ${name}, dona: ${name} }`,
    ]),
  ];
  writeFileSync(join(folder, 'casa.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
}

/** Makes the files that the attacks use: as the account as far as the portal can see. */
function prepare(home: string, uid: number): void {
  const folders = [prepared.folder, ...Array.from({ length: 32 }, (_, n) => `vigia${n}`), '.local', '.local/share'];
  const trash = '.local/share/Trash';
  for (const name of [...folders, trash, `${trash}/files`, `${trash}/info`]) {
    mkdirSync(join(home, name), { recursive: true, mode: 0o700 });
    chownSync(join(home, name), uid, uid);
  }
  const write = (name: string, text: string): void => {
    writeFileSync(join(home, name), text);
    chownSync(join(home, name), uid, uid);
  };
  for (let n = 0; n < prepared.entries; n += 1) write(`${prepared.folder}/arquivo-${n}`, '');
  for (let n = 0; n < prepared.trashed; n += 1) {
    write(`${trash}/files/t${n}`, '');
    write(`${trash}/info/t${n}.trashinfo`, `[Trash Info]\nPath=${home}/t${n}\nDeletionDate=2026-01-01T00:00:00\n`);
  }
  write(prepared.large, '');
  truncateSync(join(home, prepared.large), prepared.largeBytes);
}

async function signedIn(portal: RunningPortal, host: string, person: string): Promise<Browser> {
  const { link } = (await portal.admin('POST', '/api/admin/links', { person })).body as { link: string };
  const browser = createBrowser({ host, port: portal.port, url: `http://${host}`, received: [] });
  const { pathname, search } = new URL(link);
  await browser.request(pathname + search, { headers: navigation });
  return browser;
}

async function someone(world: Pick<FairnessWorld, 'portal' | 'host' | 'appHost'>, name: string): Promise<Someone> {
  const browser = await signedIn(world.portal, world.host, name);
  const { casa } = await until('the files of an account', async () => {
    const answer = await browser.call('GET', '/api/arquivos');
    return answer.status === 200 ? (answer.json() as { casa: string }) : null;
  });
  const room = await until('the room of a person', async () => {
    const { salas } = (await browser.call('GET', '/api/salas?app=caderno')).json() as { salas?: readonly { id: string }[] };
    return salas?.[0]?.id;
  });
  await until('the page of an app', async () => (await browser.visit(`http://${world.appHost}/`)).status === 200);
  return { name, home: casa, browser, room };
}

export async function createFairnessWorld(): Promise<FairnessWorld> {
  await sweep();
  const dir = mkdtempSync(join(tmpdir(), 'svcs-'));
  for (const folder of ['', 'h', 'p', 'd']) {
    mkdirSync(join(dir, folder), { recursive: true });
    chmodSync(join(dir, folder), 0o755);
  }
  const accounts: TestAccount[] = [];
  let portal: RunningPortal | null = null;
  const stop = async (): Promise<void> => {
    await portal?.stop();
    await emptyServer(join(dir, 'p'));
    for (const { name } of accounts) await removeAccount(name);
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    for (let n = 0; n < 2; n += 1) accounts.push(await addAccount(dir, undefined));
    const [own, other] = accounts as [TestAccount, TestAccount];
    writeDesired(join(dir, 'd'), join(dir, 'p'), accounts);
    portal = await startPortal({ desired: join(dir, 'd') });
    const host = `svc.localhost:${portal.port}`;
    const around = { portal, host, appHost: `notas.${host}` };
    const [victim, attacker] = [await someone(around, own.name), await someone(around, other.name)];
    prepare(attacker.home, other.uid);
    return { ...around, victim, attacker, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
