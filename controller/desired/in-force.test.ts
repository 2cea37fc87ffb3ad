import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFile } from '../../schema/desired/load.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { openDesiredSource, type DesiredSource } from './in-force.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import { syncEntries } from '../sync-entries.ts';
import { backendOf, emptyEntries, type PersonEntry } from '../entries.ts';
import { packageDesired } from '../kinds/package.ts';
import { memoryHost, packagesInMemory } from '../hosts/testing/memory-host.ts';
import { silentLink } from '../observe/silent-link.ts';
import { createFolderReader, readFolder } from './read-folder.ts';

let dir: string;
let store: Store;
let source: DesiredSource;
beforeEach(async () => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-des-'));
  store = await openSqliteStore(':memory:');
  source = await openDesiredSource(dir, store);
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

const write = (name: string, text: string): void => writeFileSync(path.join(dir, name), text);
const server = 'apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa, trusted: true } }\n';
const person = (name: string, nome = name): string =>
  `apiVersion: svc/v1\nkind: Person\nmetadata: { name: ${name} }\nspec: { nome: ${nome}, login: ${name}, server: casa }\n`;
const people = (count: number): string => [server, ...Array.from({ length: count }, (_unused, index) => person(`p${index}`))].join('---\n');
const names = (): string[] => [...source.current().documents.keys()].sort();

test('an error leaves the last good state in force and says the place, until the folder is right again', async () => {
  write('a.yaml', server + '---\n' + person('ana'));
  expect(await source.reread(false)).toBe(true);
  const before = source.current();
  write('b.yaml', 'apiVersion: svc/v1\nkind: Persson\n');
  expect(await source.reread(false)).toBe(true);
  expect(source.current()).toBe(before);
  expect(source.errors().join('\n')).toMatch(/^b\.yaml:2:7 UNKNOWN_KIND .*\n.*kind: Persson\n.*\^/);
  expect(await source.reread(false)).toBe(false);
  write('b.yaml', person('bia'));
  expect(await source.reread(false)).toBe(true);
  expect(source.errors()).toEqual([]);
  expect(names()).toEqual(['Person/ana', 'Person/bia', 'Server/casa']);
});

test('an error whose cause is outside the folder is gone when that is, though no file changed', async () => {
  const clock = createSimulatedClock(0);
  let [has, isKnown, asked] = [false, true, 0];
  const askPeople = async () => {
    asked += 1;
    return { hasAccount: () => has, isKnown };
  };
  source = await openDesiredSource(dir, store, clock, askPeople);
  // Two people of one home: their apps would be one account's.
  write('a.yaml', [server.replace('local: { prefix: casa, trusted: true }', 'local: {}'), person('ana'), person('bia')].join('---\n'));
  await source.reread(false);
  const [error = ''] = source.errors();
  expect(error).toMatch(/UNSEPARATED_PEOPLE|DUPLICATE_ACCOUNT/);
  const looks = asked;
  // However often it is read, and without reporting it twice.
  expect([await source.reread(false), await source.reread(false), asked]).toEqual([false, false, looks]);
  clock.advance(10_000);
  expect([await source.reread(false), asked]).toEqual([false, looks + 1]);
  expect(source.errors()[0]).toBe(error);
  has = true;
  // The system does not say who has an account.
  isKnown = false;
  clock.advance(10_000);
  expect([await source.reread(false), source.errors()[0]]).toEqual([false, error]);
  isKnown = true;
  clock.advance(10_000);
  expect(await source.reread(false)).toBe(true);
  expect([source.errors(), names()]).toEqual([[], ['Person/ana', 'Person/bia', 'Server/casa']]);
  clock.advance(60_000);
  expect([await source.reread(false), asked]).toEqual([false, looks + 3]);
});

test('who sees in a preview that the folder is right again finds it in force at the next look', async () => {
  let has = false;
  source = await openDesiredSource(dir, store, createSimulatedClock(0), async () => ({ hasAccount: () => has, isKnown: true }));
  write('a.yaml', [server.replace('local: { prefix: casa, trusted: true }', 'local: {}'), person('ana'), person('bia')].join('---\n'));
  await source.reread(false);
  expect(source.errors()).not.toEqual([]);
  has = true;
  expect((await source.preview(dir, false)).errors).toEqual([]);
  expect(await source.reread(false)).toBe(true);
  expect([source.errors(), names()]).toEqual([[], ['Person/ana', 'Person/bia', 'Server/casa']]);
});

test('a restart with a broken folder goes on with the last good state', async () => {
  write('a.yaml', server + '---\n' + person('ana'));
  await source.reread(false);
  write('a.yaml', 'broken: [');
  source = await openDesiredSource(dir, store);
  expect(names()).toEqual(['Person/ana', 'Server/casa']);
  await source.reread(false);
  expect(source.errors()).not.toEqual([]);
  expect(names()).toEqual(['Person/ana', 'Server/casa']);
});

test('a change that the store refused (a full disk) is taken at the next look', async () => {
  let full = true;
  const putValue: Store['putValue'] = async (...args) => {
    if (full) throw new Error('database or disk is full');
    await store.putValue(...args);
  };
  source = await openDesiredSource(dir, { ...store, putValue });
  write('a.yaml', server);
  await expect(source.reread(false)).rejects.toThrow('full');
  expect(names()).toEqual([]);
  full = false;
  expect(await source.reread(false)).toBe(true);
  expect(names()).toEqual(['Server/casa']);
});

test('a folder that is gone is an error, not an empty folder', async () => {
  write('a.yaml', server);
  await source.reread(false);
  rmSync(dir, { recursive: true });
  await source.reread(false);
  expect(source.errors()[0]).toMatch(/FOLDER_UNREADABLE there is no such folder/);
  expect(names()).toEqual(['Server/casa']);
});

test('unchanged documents stay the same objects, changed ones get the next generation', async () => {
  write('a.yaml', [server, person('ana'), person('bia')].join('---\n'));
  await source.reread(false);
  const before = source.current().documents;
  write('a.yaml', [server, person('ana', 'Ana Maria'), person('bia')].join('---\n'));
  await source.reread(false);
  const after = source.current().documents;
  expect(after.get('Person/bia')).toBe(before.get('Person/bia'));
  expect([before.get('Person/ana')?.generation, after.get('Person/ana')?.generation]).toEqual([1, 2]);
});

test('losing half of the documents removes nothing until --prune, and a restart does not forget that', async () => {
  write('a.yaml', people(10));
  await source.reread(false);
  write('a.yaml', people(5));
  await source.reread(false);
  expect(names()).toHaveLength(11);
  expect(source.current().held).toEqual(['Person/p5', 'Person/p6', 'Person/p7', 'Person/p8', 'Person/p9']);
  source = await openDesiredSource(dir, store);
  await source.reread(false);
  expect(source.current().held).toHaveLength(5);
  await source.reread(true);
  expect(source.current().held).toEqual([]);
  expect(names()).toHaveLength(6);
  expect([...source.current().leaving.keys()]).toHaveLength(5);
  expect((await store.inForce()).filter(({ leaving }) => !leaving)).toHaveLength(6);
});

test('one removed document of many leaves at once, and is forgotten when what it owned is gone', async () => {
  write('a.yaml', people(10));
  await source.reread(false);
  write('a.yaml', people(9));
  await source.reread(false);
  expect([...source.current().leaving.keys()]).toEqual(['Person/p9']);
  source = await openDesiredSource(dir, store);
  expect([...source.current().leaving.keys()]).toEqual(['Person/p9']);
  await source.finishLeaving('Person/p9');
  source = await openDesiredSource(dir, store);
  expect([...source.current().leaving.keys()]).toEqual([]);
});

test('two documents that are gone at once are both forgotten', async () => {
  write('a.yaml', people(20));
  await source.reread(false);
  write('a.yaml', people(18));
  await source.reread(false);
  await Promise.all([source.finishLeaving('Person/p18'), source.finishLeaving('Person/p19')]);
  expect([...source.current().leaving.keys()]).toEqual([]);
});

test('a document that comes back before it left just stays', async () => {
  write('a.yaml', people(10));
  await source.reread(false);
  write('a.yaml', people(9));
  await source.reread(false);
  write('a.yaml', people(10));
  await source.reread(false);
  expect([...source.current().leaving.keys()]).toEqual([]);
  expect(source.current().documents.get('Person/p9')?.generation).toBe(1);
});

test('an edit of one file reads that file again and writes the one document that changed', async () => {
  write('0.yaml', server);
  for (const file of ['a', 'b', 'c']) write(`${file}.yaml`, [person(`${file}1`), person(`${file}2`)].join('---\n'));
  const written: string[][] = [];
  const changeInForce: Store['changeInForce'] = async (change) => {
    written.push(change.put.map(({ name }) => name));
    await store.changeInForce(change);
  };
  source = await openDesiredSource(dir, { ...store, changeInForce });
  await source.reread(false);
  expect(written).toEqual([['Person/a1', 'Person/a2', 'Person/b1', 'Person/b2', 'Person/c1', 'Person/c2', 'Server/casa']]);
  write('b.yaml', [person('b1'), person('b2', 'Bia')].join('---\n'));
  await source.reread(false);
  expect(written.slice(1)).toEqual([['Person/b2']]);
  source = await openDesiredSource(dir, { ...store, changeInForce });
  await source.reread(false);
  // Nothing changed while it was away.
  expect(written).toHaveLength(2);
});

test('of files that did not change, what was read before is kept, and a large one is read in slices', async () => {
  const reader = createFolderReader();
  write('a.yaml', people(3));
  write('b.yaml', person('bia'));
  const documents = async () => {
    const answer = await reader.read(dir);
    if (!answer.ok) throw new Error(answer.errors.join('\n'));
    return new Map(answer.state.documents.map(({ document }) => [document.metadata.name, document]));
  };
  const before = await documents();
  write('b.yaml', person('bia', 'Bia'));
  const after = await documents();
  expect(after.get('p1')).toBe(before.get('p1'));
  expect(after.get('bia')).not.toBe(before.get('bia'));
  expect([...openFile({ name: 'a.yaml', bytes: people(500) })].length).toBeGreaterThanOrEqual(500);
});

test('a preview takes nothing in force', async () => {
  write('a.yaml', people(10));
  await source.reread(false);
  const before = source.current();
  const other = mkdtempSync(path.join(os.tmpdir(), 'svc-des-'));
  writeFileSync(path.join(other, 'a.yaml'), people(2));
  const { inForce } = await source.preview(other, false);
  rmSync(other, { recursive: true });
  expect(inForce.held).toHaveLength(8);
  expect(source.current()).toBe(before);
});

test('a person who comes back before they were forgotten leaves anew when they are removed again', async () => {
  const entries = emptyEntries(source.current());
  const factory = { host: () => memoryHost([]), link: silentLink, memory: () => null };
  const take = async (count: number): Promise<PersonEntry | undefined> => {
    write('a.yaml', people(count));
    await source.reread(false);
    syncEntries(entries, source.current(), factory);
    return entries.people.get('p9');
  };
  await take(10);
  const leaver = await take(9);
  Object.assign(leaver ?? {}, { signedOut: true, supervisorEnded: true });
  await take(10);
  expect(await take(9)).toMatchObject({ leaving: true, signedOut: false, supervisorEnded: false });
});

test('what an installation failed of holds nothing back on a server whose document changed; a drain changes no way to it', async () => {
  const entries = emptyEntries(source.current());
  const factory = { host: () => memoryHost([]), link: silentLink, memory: () => null };
  const placeAfter = async (spec: string, more = ''): Promise<unknown> => {
    write('a.yaml', server.replace('{ prefix: casa, trusted: true }', `${spec}${more}`));
    write('b.yaml', 'apiVersion: svc/v1\nkind: Package\nmetadata: { name: notas }\nspec: { app: notas, versao: 1.0.0, server: casa }\n');
    await source.reread(false);
    syncEntries(entries, source.current(), factory);
    return packageDesired(entries.packages.get('notas')!).place;
  };
  const first = await placeAfter('{}');
  expect(first).toMatch(/./);
  expect(await placeAfter('{}', ', drain: {}')).toBe(first);
  expect(await placeAfter('{ prefix: casa }')).not.toBe(first);
});

test('apps of people stay in sight while their server is reached otherwise, and was not looked at yet', async () => {
  const entries = emptyEntries(source.current());
  const factory = { host: () => memoryHost([]), link: silentLink, memory: () => null };
  const personAfter = async (spec: string): Promise<PersonEntry> => {
    write('a.yaml', `${server.replace('{ prefix: casa, trusted: true }', spec)}---\n${person('ana')}`);
    await source.reread(false);
    syncEntries(entries, source.current(), factory);
    return entries.people.get('ana')!;
  };
  const before = await personAfter('{}');
  const [installed] = packagesInMemory(1);
  Object.assign(before, { own: [installed], packages: new Map([['app0', installed]]) });
  backendOf(entries, before, 'app0', factory);
  const after = await personAfter('{ prefix: casa }');
  expect(after).not.toBe(before);
  expect([...after.packages.keys(), ...after.backends.keys(), ...entries.backends.keys()]).toEqual(['app0', 'app0', 'Backend/ana/app0']);
  expect(entries.backends.get('Backend/ana/app0')?.person).toBe(after);
});

test.for([
  ['a named pipe', (file: string): unknown => execFileSync('mkfifo', [file]), 'this is a named pipe'],
  ['a folder', (file: string): unknown => mkdirSync(file), 'this is a folder'],
  ['a device', (file: string): unknown => symlinkSync('/dev/null', file), 'this is a device'],
] as const)('%s called f.yaml is a finding with its name, and nothing waits for it', async ([, make, told]) => {
  write('a.yaml', server);
  make(path.join(dir, 'f.yaml'));
  const answer = await readFolder(dir);
  expect(answer).toMatchObject({ ok: false, errors: [`${dir}/f.yaml:1:1 UNREADABLE expected a plain file, ${told}`] });
  rmSync(path.join(dir, 'f.yaml'), { recursive: true });
  expect(await readFolder(dir)).toMatchObject({ ok: true });
});

test('documents in subfolders are warned of, with what belongs to apps and other programs passed over', async () => {
  write('a.yaml', server);
  const put = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  };
  put('people/ana.yaml', person('ana'));
  put('people/deep/bia.yaml', person('ana'));
  put('notas/svc-app.json', '{}');
  put('notas/f.yaml', person('ana'));
  put('.git/f.yaml', person('ana'));
  put('ansible/hosts.yaml', 'hosts: []\n');
  execFileSync('mkfifo', [path.join(dir, 'ansible/pipe.yaml')]);
  const told = 'it lies in a subfolder, which is not read, as 1 more of people/: put it into';
  expect(await readFolder(dir)).toMatchObject({ ok: true, warnings: [`${dir}/people/ana.yaml:1:1 NOT_READ ${told} ${dir} itself`] });
});

test('a subfolder that comes into a folder at rest is noticed', async () => {
  write('a.yaml', server);
  await source.reread(false);
  expect(source.warnings()).toEqual([]);
  mkdirSync(path.join(dir, 'people'));
  writeFileSync(path.join(dir, 'people/ana.yaml'), person('ana'));
  await source.reread(false);
  expect(source.warnings()).toEqual([expect.stringContaining('NOT_READ')]);
});

const serverOf = (name: string): string =>
  `apiVersion: svc/v1\nkind: Server\nmetadata: { name: ${name} }\nspec: { local: { prefix: ${name}, trusted: true } }\n`;
const packageOf = (name: string, where: string, versao = '1'): string =>
  `apiVersion: svc/v1\nkind: Package\nmetadata: { name: ${name} }\nspec: { app: notas, versao: "${versao}", ${where} }\n`;
const installations = (): readonly string[] =>
  [...source.current().documents].flatMap(([name, { document, generation }]) =>
    document.kind === 'Package' ? [`${name} on ${document.spec.server} ${document.spec.versao} ${generation}`] : [],
  );
/** Enough people that the guard holds nothing. */
const folder = async (...documents: readonly string[]): Promise<void> => {
  write('a.yaml', [...documents, ...people(10).split('---\n')].join('---\n'));
  await source.reread(false);
  expect(source.errors()).toEqual([]);
};

test('a package for several servers is one object for each, and the others stay as they are when one comes, goes or is written again', async () => {
  await folder(serverOf('polar'), packageOf('notas', 'servers: all'));
  expect(installations()).toEqual(['Package/notas@casa on casa 1 1', 'Package/notas@polar on polar 1 1']);
  const before = source.current().documents.get('Package/notas@casa');
  await folder(serverOf('polar'), serverOf('sirius'), packageOf('notas', 'servers: all'));
  expect(installations()).toHaveLength(3);
  expect(source.current().documents.get('Package/notas@casa')).toBe(before);
  await folder(serverOf('polar'), serverOf('sirius'), packageOf('notas', 'servers: [casa, sirius]'));
  expect(installations()).toEqual(['Package/notas@casa on casa 1 1', 'Package/notas@sirius on sirius 1 1']);
  expect([...source.current().leaving.keys()]).toEqual(['Package/notas@polar']);
  await folder(serverOf('polar'), serverOf('sirius'), packageOf('notas', 'servers: [casa, sirius]', '2'));
  expect(installations()).toEqual(['Package/notas@casa on casa 2 2', 'Package/notas@sirius on sirius 2 2']);
  // As another run of the portal finds it.
  const again = await openDesiredSource(dir, store);
  expect([...again.current().documents.keys()]).toEqual([...source.current().documents.keys()]);
});

test('packages that one document wants instead of several are not held back as removed', async () => {
  const servers = [serverOf('polar'), serverOf('sirius')];
  const where = ['casa', 'polar', 'sirius'];
  await folder(...servers, ...where.map((name) => packageOf(`notas-${name}`, `server: ${name}`)));
  // All objects of a kind go at once, and nothing of it is lost.
  await folder(...servers, packageOf('notas', 'servers: all'));
  expect(source.current().held).toEqual([]);
  expect(installations().map((one) => one.split(' ')[0])).toEqual(where.map((name) => `Package/notas@${name}`));
  await folder(...servers);
  expect(source.current().held).toEqual(where.map((name) => `Package/notas@${name}`));
});
