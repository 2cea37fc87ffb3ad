/** The packages for authors, installed into empty projects without a network: what an author writes type-checks there, strictly, and runs. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import about from '../package.json' with { type: 'json' };
import { type AuthorPackages, makeAuthorPackages } from '../setup/author-packages.ts';
import { until } from '../test/support/portal.ts';
import { everyNth } from '../test/support/share.ts';

const root = path.resolve(import.meta.dirname, '..');
const templates = path.join(root, 'bin/create/templates');
const bin = (name: string): string => path.join(root, 'node_modules/.bin', name);
const run = promisify(execFile);
let folder: string;
let packages: AuthorPackages;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-author-'));
  packages = await makeAuthorPackages();
  cpSync(path.join(root, 'sdk/testing/author'), folder, { recursive: true });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Exit code and output of a checker. */
async function checked(command: string, args: readonly string[], cwd: string): Promise<readonly [code: number, out: string]> {
  return await run(command, [...args], { cwd, maxBuffer: 10_000_000 }).then(
    ({ stdout }) => [0, stdout] as const,
    (error: { readonly code: number; readonly stdout: string; readonly stderr: string }) =>
      [error.code, error.stdout + error.stderr] as const,
  );
}

/** Begins a backend on a free port, asks it once, and ends it. */
async function answerOf(command: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const child = spawn(command, [...args, '--tcp', '127.0.0.1:0'], {
    cwd: folder,
    env: { ...process.env, SVC_APP_DATA_DIR: folder, ...env },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const ended = once(child, 'close');
  try {
    const place = await until(
      'the backend',
      () => /escutando em (\S+:\d+)/.exec(said)?.[1] ?? (child.exitCode === null ? undefined : said),
    );
    return await (await fetch(`http://${place}/api/ping`)).text();
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
}

test('the same sources give the same bytes, in the version of the portal', async () => {
  const before = [packages.tarball, packages.wheel].map((file) => readFileSync(file));
  await makeAuthorPackages();
  expect([packages.tarball, packages.wheel].map((file, at) => before[at]?.equals(readFileSync(file)))).toEqual([true, true]);
  const manifest = JSON.parse(readFileSync(path.join(packages.npmFolder, 'package.json'), 'utf8')) as { version: string };
  expect([manifest.version, path.basename(packages.wheel)]).toEqual([about.version, `svc_sdk-${about.version}-py3-none-any.whl`]);
});

describe('@svc/sdk', () => {
  /** An empty project with the package under a name, and with the types of Node from here. */
  function install(name: string): string {
    const project = path.join(folder, name.replaceAll(/\W/g, '-'));
    mkdirSync(project);
    for (const part of ['backend', 'frontend']) cpSync(path.join(folder, part), path.join(project, part), { recursive: true });
    const manifest = { private: true, type: 'module', devDependencies: { [name]: `file:${packages.tarball}` } };
    writeFileSync(path.join(project, 'package.json'), JSON.stringify(manifest));
    execFileSync('npm', ['install', '--offline', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'], {
      cwd: project,
      stdio: 'pipe',
    });
    mkdirSync(path.join(project, 'node_modules/@types'), { recursive: true });
    symlinkSync(path.join(root, 'node_modules/@types/node'), path.join(project, 'node_modules/@types/node'));
    const guide = readFileSync(path.join(root, 'docs/app-authors.md'), 'utf8');
    writeFileSync(path.join(project, 'backend/guia.mjs'), /```js\n(.*?)```/s.exec(guide)![1]!);
    // The Node backend that svc create writes.
    cpSync(path.join(templates, 'node/backend/main.mjs'), path.join(project, 'backend/modelo.mjs'));
    for (const name of ['page', 'static'])
      cpSync(path.join(templates, name, 'frontend/app.js'), path.join(project, `frontend/modelo-${name}.js`));
    return project;
  }

  function configure(project: string, name: string, module: string, moduleResolution: string, include: readonly string[]): void {
    const types = ['node', name, `${name}/page`];
    const strict = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: false };
    const compilerOptions = {
      target: 'es2022',
      lib: ['es2024', 'dom', 'dom.iterable'],
      module,
      moduleResolution,
      types,
      allowJs: true,
      checkJs: true,
      noEmit: true,
      ...strict,
    };
    writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  }

  const resolutions = [
    ['nodenext', 'nodenext', ['backend', 'frontend']],
    // For pages that are bundled; `import x = require()` is not for this one.
    ['esnext', 'bundler', ['backend/*.mts', 'frontend']],
  ] as const;

  test.for([['@svc/sdk'], ['svc']])(
    'installed as %s a backend and a page type-check strictly, and the backend runs',
    async ([name = '']) => {
      const project = install(name);
      // A package for each name, the other one the next time.
      for (const [module, resolution, include] of everyNth(2, resolutions, name === 'svc' ? 1 : 0)) {
        configure(project, name, module, resolution, include);
        expect([resolution, ...(await checked(bin('tsc'), ['-p', '.'], project))]).toEqual([resolution, 0, '']);
      }
      const env = name === 'svc' ? {} : { NODE_PATH: path.join(project, 'node_modules/@svc/sdk/node') };
      expect(await answerOf(bin('node'), [path.join(project, 'backend/main.cjs')], env)).toBe('{"pong":true}');
      expect(await answerOf(bin('node'), [path.join(project, 'backend/guia.mjs')], env)).toBe('{"pong":true}');
      // A value that is imported runs too, where the package lies, and as on a server.
      const imported = (from: string) => [
        '--input-type=module',
        '-e',
        `import { servidor } from '${from}'; console.log(typeof servidor.portao)`,
      ];
      const printed = (args: readonly string[]) =>
        execFileSync(bin('node'), args, { cwd: project, encoding: 'utf8', env: { ...process.env, ...env } });
      expect(printed(imported(name))).toBe('function\n');
      const preloaded = name === 'svc' ? [] : ['--require', 'svc/import.cjs'];
      expect(printed([...preloaded, ...imported('svc')])).toBe('function\n');
      const wrapper = path.join(project, 'node_modules/.bin/svc-wrap');
      expect(execFileSync(wrapper, ['--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/);
      const schema = JSON.parse(readFileSync(path.join(project, 'node_modules', name, 'svc-app.schema.json'), 'utf8')) as { $id: string };
      expect(schema.$id).toBe(`urn:svc:esquema:svc-app:${about.version}`);
    },
  );

  test('no public type is any', () => {
    const withoutWords = (text: string) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*|'[^']*'/g, '');
    for (const name of ['svc.d.ts', 'page.d.ts', 'index.d.ts', 'ui/elements.d.ts']) {
      const found = withoutWords(readFileSync(path.join(packages.npmFolder, name), 'utf8')).match(/.*\bany\b.*/g);
      expect([name, found]).toEqual([name, null]);
    }
    expect(withoutWords('x: any; // any').match(/\bany\b/g)).toHaveLength(1);
  });
});

describe('the wheel', () => {
  let python: string;
  beforeAll(async () => {
    const environment = path.join(folder, 'venv');
    await run('python3', ['-m', 'venv', '--without-pip', environment]);
    python = path.join(environment, 'bin/python');
    await run('pip3', ['--python', python, 'install', '--no-index', '--no-cache-dir', '--disable-pip-version-check', packages.wheel]);
  });

  test('a backend type-checks strictly, and so does the library itself', async () => {
    const mypy = (...args: readonly string[]) =>
      checked(
        'mypy',
        ['--strict', '--warn-unused-ignores', '--cache-dir', path.join(folder, 'mypy'), '--python-executable', python, ...args],
        folder,
      );
    expect(await mypy('backend/main.py')).toEqual([0, 'Success: no issues found in 1 source file\n']);
    // So does what svc create writes.
    const written = [
      'static/backend/main',
      'python/backend/main',
      'queue/backend/main',
      'queue/trabalho/contar',
      'engine/backend/main',
      'rooms/backend/main',
    ];
    for (const name of written) cpSync(path.join(templates, `${name}.py`), path.join(folder, `modelo_${name.replaceAll('/', '_')}.py`));
    const copies = written.map((name) => `modelo_${name.replaceAll('/', '_')}.py`);
    expect(await mypy(...copies)).toEqual([0, `Success: no issues found in ${written.length} source files\n`]);
    const [code, out] = await mypy('-p', 'svc');
    expect([code, out]).toEqual([0, expect.stringMatching(/^Success: no issues found in \d+ source files\n$/)]);
  });

  test('svc-wrap and a backend run from where they are installed', async () => {
    expect(execFileSync(path.join(path.dirname(python), 'svc-wrap'), ['--version'], { encoding: 'utf8' })).toMatch(/^\d+\.\d+\.\d+\n$/);
    expect(await answerOf(python, ['backend/main.py'], { PYTHONPATH: '' })).toBe('{"pong":true}');
  });

  test('each public function has types without Any, and both runtimes offer the same', async () => {
    const { stdout } = await run(python, [path.join(root, 'sdk/testing/public_names.py')]);
    const { names, typed } = JSON.parse(stdout) as { names: Record<string, Record<string, string[]>>; typed: boolean };
    expect([typed, Object.values(names).flatMap((own) => Object.values(own).flat())]).toEqual([true, []]);
    const node = JSON.parse(
      execFileSync(
        bin('node'),
        ['-p', 'JSON.stringify(Object.fromEntries(Object.entries(require("svc")).map(([k, v]) => [k, Object.keys(v)])))'],
        {
          env: { ...process.env, NODE_PATH: path.join(root, 'sdk/node') },
          encoding: 'utf8',
        },
      ),
    ) as Record<string, string[]>;
    const snake = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    // Names that belong to http.server in Python, or that need a WebSocket, which its standard library lacks.
    const nodeOnly = new Set(['servidor.portao', 'servidor.responder_json', 'servidor.ler_corpo', 'servidor.ler_json', 'salas.entrar']);
    const missing = ['apps', 'fila', 'gpu', 'metricas', 'salas', 'servidor', 'web']
      .flatMap((group) => (node[group] ?? []).map((name) => [group, snake(name)] as const))
      .filter(([group, name]) => names[group]?.[name] === undefined && !nodeOnly.has(`${group}.${name}`));
    expect(missing).toEqual([]);
    const functions = Object.entries(names).flatMap(([group, own]) =>
      Object.keys(own)
        .filter((name) => /^[a-z]/.test(name))
        .map((name) => `${group}.${name}`),
    );
    const inNode = new Set(Object.entries(node).flatMap(([group, own]) => own.map((name) => `${group}.${snake(name)}`)));
    expect(functions.filter((name) => !inNode.has(name))).toEqual([]);
  });
});
