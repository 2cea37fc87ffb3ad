/** People who come by a claim of the provider, and plans of People documents, in a whole loop over a server in memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import { createBus, type Bus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { systemClock } from '../clock/system.ts';
import type { HostRun } from '../hosts/host.ts';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import { createController, type Controller } from '../loop/loop.ts';
import { silentLog } from '../loop/testing/silent-log.ts';
import { createGateway } from './gateway.ts';
import { doc } from './testing/removal.ts';

const ssh = { host: '127.0.0.1', hostKey: `SHA256:${'a'.repeat(43)}` };
const server = doc('Server', 'sirius', { ssh });
const provider = { issuer: 'https://id.example', clientId: 'svc', clientSecret: { env: 'A' } };
const portal = (admins: object = {}): string => doc('Portal', 'casa', { signIn: { oidc: provider }, admins });
const people = doc('People', 'externos', { server: 'sirius', oidc: { claim: 'groups', values: ['staff', 'svc guests'] } });
const group = doc('People', 'alunos', { server: 'sirius', group: 'alunos' });

let dir: string;
let store: Store;
let controller: Controller;
/** Edges reach every portal of the store. */
let bus: Bus;
/** Uids of the accounts of the server; null: it does not answer. */
let accounts: Map<string, number> | null;

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-arr-'));
  store = await openSqliteStore(':memory:');
  accounts = new Map([
    ['ana', 1_001],
    ['backup', 34],
  ]);
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  rmSync(dir, { recursive: true });
});

/** Prints as the script of controller/observe/accounts.ts does there. */
async function run(_account: string | null, { stdin, onLine }: HostRun) {
  if (accounts === null) throw new SvcError('SERVER_UNREACHABLE', 'no route');
  onLine('U 1000');
  const isGroup = stdin.includes("report 'alunos'");
  if (isGroup) onLine('G alunos:5000');
  const asked = /cat <<'\.\.\.'\n([^]*?)\n\.\.\./.exec(stdin)?.[1]?.split('\n') ?? [];
  for (const [name, uid] of accounts) if (isGroup || asked.includes(name)) onLine(`P ${name}:x:${uid}:5000::/home/${name}:/bin/sh`);
  onLine('E');
  return { code: 0, signal: null, said: '' };
}

async function begin(...documents: readonly string[]): Promise<ReturnType<typeof createGateway>> {
  writeFileSync(path.join(dir, 'all.yaml'), documents.join('\n---\n'));
  bus = createBus();
  controller = await portalOf(true);
  return createGateway(controller.context);
}

async function portalOf(leads: boolean): Promise<Controller> {
  const host = { ...memoryHost([]), run };
  const made = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus,
    clock: systemClock,
    log: silentLog,
    leads,
    createHost: () => host,
  });
  await made.prepare();
  await made.start();
  return made;
}
const claims = { groups: ['other', 'staff'] };
const ana = { login: 'ana', nome: 'Ana Souza', claims };

test('whoever holds a value has a person when their sign-in goes on, and has none after one without it', async () => {
  const { people: view, commands } = await begin(portal({ groups: ['staff'] }), server, people);
  expect([await commands.people.arrived(ana), view.find('ana')]).toEqual([
    null,
    { usuario: 'ana', nome: 'Ana Souza', login: 'ana', grupos: ['staff'], servidor: 'sirius', isAdmin: true },
  ]);
  expect(await commands.people.arrived({ ...ana, claims: { groups: 'staff' } })).toBeNull();
  expect(await commands.people.arrived({ ...ana, claims: { groups: ['staf'] } })).toMatch(/^the provider does not name them in a group/);
  await expect.poll(() => view.find('ana')).toBeNull();
  expect(await commands.people.arrived({ ...ana, claims: {} })).toBeNull();
});

test.for([
  ['a system account', 'backup', 'backup is no person here: a system account (uid 34, people begin with 1000)'],
  ['no account', 'eva', 'eva is no person here: the server has no such account'],
  ['a login that is no account', "o'malley@uni.example", 'the login can not be the name of an account'],
] as const)('%s makes nobody', async ([, login, why]) => {
  const { people: view, commands } = await begin(portal(), server, people);
  expect([await commands.people.arrived({ ...ana, login }), view.all()]).toEqual([why, []]);
});

test('who came stays over a restart beside a server that does not answer, and a written Person is as before', async () => {
  const before = await begin(portal(), server, people);
  expect(await before.commands.people.arrived(ana)).toBeNull();
  await controller.stop();
  accounts = null;
  const { people: view, commands } = await begin(
    portal(),
    server,
    people,
    doc('Person', 'bia', { nome: 'Bia', login: 'bia', server: 'sirius' }),
  );
  expect([await commands.people.arrived(ana), view.find('ana')?.nome]).toEqual([null, 'Ana Souza']);
  expect([await commands.people.arrived({ ...ana, login: 'bia' }), view.find('bia')?.nome]).toEqual([null, 'Bia']);
  expect(await commands.people.arrived({ ...ana, login: 'bia', claims: {} })).toBeNull();
});

test('who comes to a portal that does not lead is a person there, too, and is told why they are none', async () => {
  const leader = await begin(portal(), server, people);
  const follower = await portalOf(false);
  try {
    const { people: view, commands } = createGateway(follower.context);
    expect([await commands.people.arrived(ana), view.find('ana')?.nome, leader.people.find('ana')?.nome]).toEqual([
      null,
      'Ana Souza',
      'Ana Souza',
    ]);
    expect(await commands.people.arrived({ ...ana, login: 'backup' })).toMatch(/^backup is no person here: a system account/);
    expect(await commands.people.arrived({ ...ana, claims: {} })).toMatch(/^the provider does not name them/);
    await expect.poll(() => [view.find('ana'), leader.people.find('ana')]).toEqual([null, null]);
  } finally {
    await follower.stop();
  }
});

test('values that the document does not name any more count no longer', async () => {
  const before = await begin(portal(), server, people);
  expect(await before.commands.people.arrived(ana)).toBeNull();
  await controller.stop();
  const { people: view } = await begin(portal(), server, people.replace('staff', 'others'));
  await expect.poll(() => view.find('ana')).toBeNull();
});

test('a plan asks the server of a People document that is not in force yet, and says what can not be asked', async () => {
  const { admin } = await begin(portal(), server);
  const next = mkdtempSync(path.join(os.tmpdir(), 'svc-arr-'));
  try {
    writeFileSync(path.join(next, 'all.yaml'), [portal(), server, group].join('\n---\n'));
    const { changes } = await admin.plan(next);
    expect(changes.filter(({ action }) => action === 'document/add').map(({ key }) => key)).toEqual(['People/alunos', 'Person/ana']);
    accounts = null;
    const { blocked } = await admin.plan(next);
    expect(blocked).toEqual([
      expect.objectContaining({ key: 'People/alunos', reason: 'ListUnreadable', message: expect.stringContaining('no route') as string }),
    ]);
  } finally {
    rmSync(next, { recursive: true });
  }
});
