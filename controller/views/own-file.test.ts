/** Administration's changes of its file, over a real folder: what is shown, what is written, and what refuses. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OwnChange } from '../../schema/desired/own-changes.ts';
import type { Gateway } from '../../schema/gateway.ts';
import { createBus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { systemClock } from '../clock/system.ts';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import { createController, type Controller } from '../loop/loop.ts';
import { silentLog } from '../loop/testing/silent-log.ts';
import { createGateway } from './gateway.ts';

let dir: string;
let own: string;
let store: Store;
let controller: Controller;
let commands: Gateway['commands']['admin'];

const site = `apiVersion: svc/v1
kind: Server
metadata: { name: casa }
spec: { local: { prefix: casa, trusted: true } }
---
apiVersion: svc/v1
kind: Person
metadata: { name: ana }
spec: { nome: Ana, login: ana, server: casa, grupos: [autores] }
---
apiVersion: svc/v1
kind: Package
metadata: { name: notas-casa }
spec: { app: notas, versao: 1.0.0, server: casa }
`;

async function begin(leads = true): Promise<void> {
  controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    leads,
    bus: createBus(),
    clock: systemClock,
    log: silentLog,
    createHost: () => memoryHost([]),
  });
  await controller.prepare();
  commands = createGateway(controller.context).commands.admin;
}

beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-own-'));
  own = path.join(dir, 'administracao.yaml');
  writeFileSync(path.join(dir, 'site.yaml'), site);
  store = await openSqliteStore(':memory:');
  await begin();
});
afterEach(async () => {
  await controller.stop();
  await store.close();
  chmodSync(dir, 0o755);
  rmSync(dir, { recursive: true, force: true });
});

const bia: OwnChange = { act: 'put', kind: 'Person', name: 'bia', spec: { nome: 'Bia', login: 'bia', server: 'casa' } };
const without: OwnChange = { act: 'remove', kind: 'Person', name: 'bia' };
const people = (): readonly string[] =>
  [...controller.context.source.current().documents.keys()].filter((key) => key.startsWith('Person/'));

async function write(change: OwnChange): Promise<void> {
  const { digest } = await commands.draftOwn(change);
  await commands.writeOwn(change, digest);
}

test('a draft shows the lines and the plan and writes nothing; the change is in force once it is written, and undone as well, though the guard would hold it', async () => {
  const { plan, diff, elsewhere } = await commands.draftOwn(bia);
  expect([plan.ok, plan.errors, elsewhere, existsSync(own)]).toEqual([true, [], null, false]);
  expect(plan.changes).toContainEqual(expect.objectContaining({ key: 'Person/bia', action: 'document/add' }));
  expect(diff.map(({ change, text }) => `${change} ${text}`)).toContain('added   nome: Bia');
  await write(bia);
  expect(people()).toEqual(['Person/ana', 'Person/bia']);
  expect(await commands.ownFile()).toMatchObject({
    managed: null,
    documents: [{ kind: 'Person', name: 'bia', nome: 'Bia', login: 'bia', server: 'casa', grupos: [], line: 4 }],
    servers: ['casa'],
    groups: ['autores'],
  });
  // A quarter of the objects is more than a fifth.
  const { plan: removal } = await commands.draftOwn(without);
  expect([removal.pendingPrune, removal.changes.some(({ key, action }) => key === 'Person/bia' && action === 'document/remove')]).toEqual([
    [],
    true,
  ]);
  await write(without);
  expect([people(), readFileSync(own, 'utf8')]).toEqual([['Person/ana'], '']);
  expect(readdirSync(dir).toSorted()).toEqual(['administracao.yaml', 'site.yaml']);
});

test('mode and words of the file stay', async () => {
  writeFileSync(own, '# ours\n\n');
  chmodSync(own, 0o640);
  await write(bia);
  expect([statSync(own).mode & 0o777, readFileSync(own, 'utf8').startsWith('# ours\n\napiVersion')]).toEqual([0o640, true]);
});

test('a pipe where the new file is made is waited for by nobody, and taken away', async () => {
  execFileSync('mkfifo', [path.join(dir, '.administracao.yaml.tmp')]);
  await write(bia);
  expect(readdirSync(dir).toSorted()).toEqual(['administracao.yaml', 'site.yaml']);
});

test('a file that was changed since the draft, also in between two changes of the desktop, is not written', async () => {
  const { digest } = await commands.draftOwn(bia);
  writeFileSync(own, '# somebody else\n');
  await expect(commands.writeOwn(bia, digest)).rejects.toMatchObject({ code: 'FILE_CHANGED' });
  const draft = await commands.draftOwn(bia);
  const both = await Promise.allSettled([
    commands.writeOwn(bia, draft.digest),
    commands.writeOwn({ ...bia, name: 'caio', spec: { ...bia.spec, login: 'caio' } }, draft.digest),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  expect(people()).toEqual(['Person/ana', 'Person/bia']);
});

test.for<readonly [string, OwnChange, RegExp]>([
  ['an unknown server', { ...bia, spec: { ...bia.spec, server: 'lua' } }, /administracao\.yaml:8.*"lua"/s],
  ['a login that somebody has', { ...bia, spec: { ...bia.spec, login: 'ana' } }, /administracao\.yaml.*login/s],
  ['a name that can be none', { ...bia, name: 'Bia Lima' }, /administracao\.yaml.*name/s],
])('%s: the draft says file and field, and nothing is written', async ([, change, said]) => {
  const { plan, digest } = await commands.draftOwn(change);
  expect([plan.ok, plan.errors.join('\n')]).toEqual([false, expect.stringMatching(said)]);
  await expect(commands.writeOwn(change, digest)).rejects.toMatchObject({ code: 'DESIRED_INVALID', message: expect.stringMatching(said) });
  expect(existsSync(own)).toBe(false);
});

test.for<readonly [string, OwnChange, number]>([
  ['a person', { act: 'remove', kind: 'Person', name: 'ana' }, 8],
  ['the same name', { ...bia, name: 'ana' }, 8],
  [
    'the app on the same server',
    { act: 'put', kind: 'Package', name: 'notas', spec: { app: 'notas', versao: '1.0.0', servers: 'all' } },
    13,
  ],
])('%s of another file is not changed, and the file is named', async ([, change, line]) => {
  const { elsewhere, digest } = await commands.draftOwn(change);
  expect(elsewhere).toEqual({ file: 'site.yaml', line, from: null });
  await expect(commands.writeOwn(change, digest)).rejects.toMatchObject({
    code: 'CONFLICT',
    message: expect.stringContaining(`site.yaml:${line}`),
  });
  expect([readFileSync(path.join(dir, 'site.yaml'), 'utf8'), existsSync(own)]).toEqual([site, false]);
});

test.for<readonly [string, 'checkout' | 'link' | 'readonly', () => void]>([
  ['a checkout', 'checkout', () => mkdirSync(path.join(dir, '.git'))],
  ['a folder that nobody may write to', 'readonly', () => chmodSync(dir, 0o555)],
  ['a file that nobody may write', 'readonly', () => (writeFileSync(own, ''), chmodSync(own, 0o444))],
  ['a file that is a link', 'link', () => (writeFileSync(path.join(dir, 'real'), ''), symlinkSync('real', own))],
])('%s is left to whoever keeps it', async ([, why, make]) => {
  make();
  expect((await commands.ownFile()).managed).toMatchObject({ why });
  await expect(commands.draftOwn(bia)).rejects.toMatchObject({ code: 'DESIRED_MANAGED', details: { why } });
  await expect(commands.writeOwn(bia, '0'.repeat(64))).rejects.toMatchObject({ code: 'DESIRED_MANAGED' });
});

test('a portal that does not lead shows the file and changes nothing', async () => {
  await controller.stop();
  await begin(false);
  expect((await commands.ownFile()).documents).toEqual([]);
  await expect(commands.draftOwn(bia)).rejects.toMatchObject({ code: 'CONFLICT' });
  await expect(commands.writeOwn(bia, '0'.repeat(64))).rejects.toMatchObject({ code: 'CONFLICT' });
});
