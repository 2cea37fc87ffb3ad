import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readDesired } from '../../schema/desired/load.ts';
import { readFileSync } from 'node:fs';
import { localServer, writeDesired, writePortal } from './desired.ts';
import { readOptions, type DevFlags } from './options.ts';

let dir: string;
beforeAll(() => {
  dir = realpathSync(mkdtempSync(path.join(tmpdir(), 'svc-do-')));
  mkdirSync(path.join(dir, 'app'));
  writeFileSync(path.join(dir, 'app/svc-app.json'), '{}');
  symlinkSync(path.join(dir, 'app'), path.join(dir, 'link'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const read = (flags: DevFlags, app = 'app') => readOptions(path.join(dir, app), flags, { XDG_STATE_HOME: '/estado' });

test('one folder has one state, by whichever link it is named', () => {
  const { folder, state } = read({});
  expect(read({}, 'link')).toMatchObject({ folder, state });
  expect(state).toMatch(/^\/estado\/svc-dev\/[0-9a-f]{8}$/);
});

describe('people', () => {
  test.for<[DevFlags, readonly string[]]>([
    [{}, ['ana']],
    [{ as: ['bia'] }, ['ana', 'bia']],
    [{ as: ['bia', 'caio, ana'] }, ['ana', 'bia', 'caio']],
    [{ people: 'bia,ana' }, ['bia', 'ana']],
    [{ people: 'bia', as: ['caio'] }, ['bia', 'caio']],
    [{ server: 'x', desired: '.', as: ['rui'] }, ['rui']],
    [{ server: 'x', desired: '.' }, []],
  ])('%j are %j', ([flags, people]) => expect(read(flags).people).toEqual(people));
});

describe('what is refused', () => {
  test.for<[DevFlags, string]>([
    [{ as: ['Bia'] }, '"Bia" is no name'],
    [{ as: ['../x'] }, 'is no name'],
    [{ people: 'a,b,c,d,e,f,g,h,i' }, 'at most 8 people'],
    [{ server: 'x' }, 'needs --desired'],
    [{ desired: '.' }, 'goes with --server'],
    [{ frontend: 'http://vite.example:5173' }, 'a dev server of this machine'],
    [{ frontend: 'https://127.0.0.1:5173' }, 'a dev server of this machine'],
    [{ frontend: '127.0.0.1:5173' }, 'a dev server of this machine'],
    [{ frontend: 'http://127.0.0.1:1', backendPrefix: ['/a/../b c'] }, 'expected a path'],
    [{ backendPrefix: ['ws'] }, '--backend-prefix goes with --frontend'],
  ])('%j', ([flags, words]) => expect(() => read(flags)).toThrow(words));

  test('a folder without a manifest, and none at all', () => {
    expect(() => read({}, '.')).toThrow('holds no svc-app.json: below it are apps: app');
    mkdirSync(path.join(dir, 'app/backend'));
    expect(() => read({}, 'app/backend')).toThrow('holds no svc-app.json: is it the folder of an app?');
    expect(() => read({}, 'nada')).toThrow('is no folder');
  });
});

test.for([
  ['http://127.0.0.1:5173', { host: '127.0.0.1', port: 5173 }],
  ['http://localhost:80/', { host: 'localhost', port: 80 }],
  ['http://[::1]:3000', { host: '::1', port: 3000 }],
] as const)('the dev server %s', ([text, frontend]) => expect(read({ frontend: text }).frontend).toEqual(frontend));

test('a path of the backend begins with a slash and ends with none', () => {
  expect(read({ frontend: 'http://127.0.0.1:1', backendPrefix: ['api/', '/a/b'] }).backendPrefixes).toEqual(['/api', '/a/b']);
});

test('the desired state that it writes has no error', async () => {
  const folder = path.join(dir, 'desired');
  await writeDesired(folder, ['ana', 'bia']);
  writePortal(folder, localServer, { app: 'ola', version: '1.0.0+dev.1', repository: '/r' });
  const files = ['dev.yaml', 'portal.yaml'].map((name) => ({ name, bytes: readFileSync(path.join(folder, name)) }));
  expect(readDesired(files, []).reports.flatMap(({ errors }) => errors)).toEqual([]);
});
