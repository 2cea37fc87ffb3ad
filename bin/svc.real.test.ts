/** The command `svc` as a person runs it, without a portal: exit codes and what is printed. */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSqliteStore } from '../store/sqlite.ts';
import { type Outcome, repository, runSvc } from './testing/run-svc.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcl-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const svc = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> => runSvc(folder, args, env);

describe('svc validate', () => {
  test('prints file:line:col CODE, the line, a caret and a suggestion, and exits 1', async () => {
    await writeFile(
      join(folder, 'svc-app.json'),
      '{\n  "id": "a",\n  "nmae": 1,\n  "version": "1.0.0",\n  "backend": {"runtime": "node", "entrypoint": "a"}\n}\n',
    );
    const { code, out } = await svc(['validate', 'svc-app.json']);
    expect(code).toBe(1);
    expect(out).toBe(
      'svc-app.json:3:3 UNKNOWN_FIELD unknown field "nmae" in the root\n 3 |   "nmae": 1,\n   |   ^^^^^^ did you mean "name"?\n1 file, 1 error, 0 warnings\n',
    );
  });

  test('--json has the shape of the issue', async () => {
    await writeFile(join(folder, 'x.yaml'), 'apiVersion: svc/v1\nkind: Portal\nmetadata: { name: casa }\nspec: { listn: x }\n');
    const { code, out } = await svc(['validate', '--json', 'x.yaml', join(repository, 'examples/apps/notas')]);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toEqual([
      { file: join(repository, 'examples/apps/notas/svc-app.json'), ok: true, errors: [], warnings: [] },
      {
        file: 'x.yaml',
        ok: false,
        errors: [
          { code: 'UNKNOWN_FIELD', path: '/spec/listn', line: 4, column: 9, message: expect.stringContaining('did you mean "listen"?') },
        ],
        warnings: [],
      },
    ]);
  });

  test('the examples are valid: desired state and every package', async () => {
    const { code, out } = await svc(['validate', join(repository, 'examples/desired'), join(repository, 'examples/apps')]);
    expect(out).toMatch(/, 0 errors, /);
    expect(code).toBe(0);
  });

  test('a browser extension that the catalogue beside the package lacks is a warning; without a catalogue nothing is said', async () => {
    const packages = join(folder, 'e');
    await mkdir(join(packages, 'leitor'), { recursive: true });
    const backend = { runtime: 'node', entrypoint: 'main.js' };
    const manifest = { id: 'leitor', version: '1.0.0', backend, contributes: { browserExtension: { id: 'nenhuma' } } };
    await writeFile(join(packages, 'leitor/svc-app.json'), JSON.stringify(manifest));
    const judged = async (target: string) => (await svc(['validate', target])).out;
    expect(await judged(join(packages, 'leitor'))).not.toContain('EXTENSION_UNKNOWN');
    await writeFile(join(packages, 'extensoes.json'), '{"formato":1,"extensoes":[]}');
    for (const target of [packages, join(packages, 'leitor'), join(packages, 'leitor/svc-app.json')])
      expect(await judged(target)).toMatch(/leitor\/svc-app\.json:1:\d+ EXTENSION_UNKNOWN /);
    expect(await svc(['validate', packages])).toMatchObject({ code: 0, out: expect.stringContaining('extensoes.json: ok') });
    const navegadores = [{ navegador: 'chrome', endereco: 'https://loja.example/x' }];
    await writeFile(
      join(packages, 'extensoes.json'),
      JSON.stringify({ formato: 1, extensoes: [{ id: 'nenhuma', nome: 'X', navegadores }] }),
    );
    expect(await judged(packages)).not.toContain('EXTENSION_UNKNOWN');
    await writeFile(join(packages, 'extensoes.json'), '{"formato":1}');
    const { code, out } = await svc(['validate', packages]);
    expect([code, out]).toEqual([1, expect.stringContaining('MISSING_FIELD')]);
    expect(out).not.toContain('EXTENSION_UNKNOWN');
  });

  test('what of an app can not work where it would run is a warning, by the desired state and the files that are judged with it', async () => {
    const dir = join(folder, 'place');
    await mkdir(join(dir, 'app'), { recursive: true });
    await writeFile(
      join(dir, 'casa.yaml'),
      [
        'apiVersion: svc/v1\nkind: Portal\nmetadata: { name: p }\nspec: { repository: none }\n---\n',
        'apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa } }\n',
      ].join(''),
    );
    const backend = { runtime: 'node', entrypoint: 'main.js' };
    const manifest = { id: 'a', version: '1.0.0', recursos: { fila: true }, escopo: 'servidor', kind: 'service', icon: 'i.svg', backend };
    await writeFile(join(dir, 'app/svc-app.json'), JSON.stringify(manifest));
    await writeFile(join(dir, 'app/main.js'), '');
    const codesOf = async (...targets: string[]) => {
      const { code, out } = await svc(['validate', '--json', ...targets]);
      const reports = JSON.parse(out) as { warnings: { code: string }[] }[];
      return [code, ...reports.flatMap(({ warnings }) => warnings.map((warning) => warning.code)).toSorted()];
    };
    expect(await codesOf(join(dir, 'app'))).toEqual([0, 'FILE_NOT_HERE']);
    expect(await codesOf(dir)).toEqual([0, 'FILE_NOT_HERE', 'QUEUE_MISSING', 'SYSTEMD_MISSING']);
  });

  test('a single file is judged with its neighbours for references only', async () => {
    const dir = join(folder, 'n');
    await mkdir(dir, { recursive: true });
    await writeFile(
      join(dir, 'server.yaml'),
      'apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: {} }\n---\nkind: Wrong\n',
    );
    await writeFile(
      join(dir, 'ana.yaml'),
      'apiVersion: svc/v1\nkind: Person\nmetadata: { name: ana }\nspec: { nome: Ana, login: ana, server: casa }\n',
    );
    expect(await svc(['validate', join(dir, 'ana.yaml')])).toMatchObject({ code: 0 });
    expect(await svc(['validate', dir])).toMatchObject({ code: 1, out: expect.stringContaining('server.yaml:6:7 UNKNOWN_KIND') });
  });

  test.for([
    ['no-such-file', 'UNREADABLE'],
    ['/dev/zero', 'UNREADABLE'],
    ['empty', 'EMPTY'],
  ])('%s is %s', async ([file = '', code]) => {
    await mkdir(join(folder, 'empty'), { recursive: true });
    expect(await svc(['validate', file])).toMatchObject({ code: 1, out: expect.stringContaining(`${file}:1:1 ${code} `) });
  });

  test('no control character of a file reaches the terminal', async () => {
    await writeFile(join(folder, 'evil.json'), '{"id": "\u009b31m", "\u009b2J": 1}');
    const { out } = await svc(['validate', 'evil.json']);
    expect(out).toContain('UNKNOWN_FIELD');
    expect(out).not.toMatch(/[\u0080-\u009f\u001b]/);
  });

  test('colors only when they are wanted', async () => {
    expect((await svc(['validate', 'no-such-file'], { FORCE_COLOR: '1' })).out).toContain('\u001b[31m');
    expect((await svc(['validate', 'no-such-file'], { NO_COLOR: '1' })).out).not.toContain('\u001b');
  });
});

test('without a portal every command says which command starts one, and exits 1', async () => {
  for (const args of [['get'], ['why', 'ana/notas'], ['plan'], ['logs', 'ana/notas'], ['events'], ['start', 'ana/notas'], ['link']]) {
    const { code, err } = await svc([...args, '--state', 'none']);
    expect({ args, code, err }).toEqual({
      args,
      code: 1,
      err: 'svc: PORTAL_NOT_RUNNING no portal answers on none/svc.sock; start one with: svc up DIR --state none\n',
    });
  }
  expect(await svc(['--state', 'none', '-o', 'json', 'start', 'ana/notas'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('answers on none/svc.sock'),
  });
  // The option after the command counts.
  expect(await svc(['--state', 'a', 'get', '--state', 'b'])).toMatchObject({
    code: 1,
    err: expect.stringContaining('answers on b/svc.sock'),
  });
  expect(await svc(['doctor', '--state', 'none'])).toMatchObject({
    code: 1,
    out: expect.stringMatching(/FAIL {2}portal +PORTAL_NOT_RUNNING/),
  });
});

test.for([
  [['gett'], 'Did you mean get?'],
  [['get', '-o', 'xml'], 'Allowed choices are table, wide, json, yaml'],
  [['logs', 'ana/notas', '--tail', '0'], 'expected a whole number'],
  [['start', 'Server/casa'], 'BAD_REQUEST'],
  [['--state', 'none', 'validate', '.'], 'validate takes no --state'],
  [['-o', 'wide', 'doctor'], 'doctor takes no --output wide. Allowed choices are table, json, yaml.'],
  [['get', '--wach'], 'Did you mean --watch?'],
] as const)('%j is a usage error', async ([args, told]) => {
  expect(await svc(args)).toMatchObject({ code: 1, err: expect.stringContaining(told) });
});

test.for([
  [['up', '.', '--state', 'a'.repeat(100)], /^svc: SOCKET_PATH_TOO_LONG .*svc\.sock has \d+ bytes.*shorter --state\n$/],
  [['up', 'gone', '--state', 'st'], /gone:1:1 FOLDER_UNREADABLE there is no such folder\nsvc: DESIRED_INVALID/],
] as const)('%j does not start and says why', async ([args, told]) => {
  expect(await svc(args)).toMatchObject({ code: 1, out: '', err: expect.stringMatching(told) });
});

test('the command runs through a link, from anywhere, and says its version', async () => {
  await rm(join(folder, 'link'), { force: true });
  await symlink(join(repository, 'bin/svc'), join(folder, 'link'));
  const run = promisify(execFile);
  expect((await run(join(folder, 'link'), ['--version'], { cwd: '/' })).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});

test('an older Node in PATH and none beside it is told in one line', async () => {
  const root = join(folder, 'bare');
  await mkdir(join(root, 'bin'), { recursive: true });
  await copyFile(join(repository, 'bin/svc'), join(root, 'bin/svc'));
  await writeFile(join(root, 'node'), '#!/bin/sh\necho v20.11.1\n', { mode: 0o755 });
  const failed = promisify(execFile)(join(root, 'bin/svc'), ['help'], { env: { PATH: `${root}:/usr/bin:/bin` } });
  await expect(failed).rejects.toMatchObject({ code: 1, stderr: 'svc: needs Node 24 or newer; npm ci in the folder of svc brings it\n' });
});

test.for(['svc', 'svc-app-supervisor'])('%s leaves no core file where the login allows them', async (command) => {
  const root = join(folder, `core-${command}`);
  await mkdir(join(root, 'bin'), { recursive: true });
  await mkdir(join(root, 'node/bin'), { recursive: true });
  await copyFile(join(repository, 'bin', command), join(root, 'bin', command));
  await writeFile(join(root, 'node/bin/node'), '#!/bin/sh\nulimit -S -c\n', { mode: 0o755 });
  const shell = ['-c', 'ulimit -S -c unlimited; exec "$0" --version', join(root, 'bin', command)];
  expect((await promisify(execFile)('sh', shell)).stdout).toBe('0\n');
});

test.for([
  ['its reader goes', '| head -c 100 >got', ''],
  ['the disk is full', '>/dev/full', 'svc: DISK_FULL no space left: ENOSPC: no space left on device, write\n'],
] as const)('a backup is no success when %s', async ([, goes, said]) => {
  const state = join(folder, 'cut');
  await mkdir(join(state, 'fila'), { recursive: true });
  await (await openSqliteStore(join(state, 'svc.db'))).close();
  await writeFile(join(state, 'store'), '{"store":"sqlite:svc.db"}\n');
  await writeFile(join(state, 'fila/saida'), randomBytes(1_000_000));
  const script = `{ ${join(repository, 'bin/svc')} backup - --state ${state} 2>${folder}/err; echo $? >${folder}/code; } ${goes}`;
  await promisify(execFile)('sh', ['-c', script], { cwd: folder });
  expect([await readFile(join(folder, 'code'), 'utf8'), await readFile(join(folder, 'err'), 'utf8')]).toEqual(['1\n', said]);
});

test('help: with examples, in the language of the terminal, and without a colour in a pipe', async () => {
  const english = await svc(['help', 'jobs', 'get']);
  expect(english).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^Usage: svc jobs get \[options\] \[job\]\n[^]*\nExamples:\n {2}svc jobs get\n/),
  });
  expect((await svc(['jobs', 'get', '--help'], { LC_ALL: 'pt_BR.UTF-8', FORCE_COLOR: '1', NO_COLOR: '' })).out).toMatch(
    /^\u001b\[1mUso:\u001b\[22m svc jobs get \[opções\] \[trabalho\]/,
  );
});

test('what completes a word says nothing of a portal that is not there, nor of one that does not answer', async () => {
  expect(await svc(['complete', '--', '--state', 'none', 'start', ''])).toEqual({ code: 0, out: 'words\n', err: '' });
  expect(await svc(['complete', '--', 'up', ''])).toEqual({ code: 0, out: 'folders\n', err: '' });
  const silent = createServer();
  silent.listen(join(folder, 'svc.sock'));
  await once(silent, 'listening');
  expect(await svc(['complete', '--', 'start', '--state', '.', ''])).toEqual({ code: 0, out: 'words\n', err: '' });
  silent.close();
});
