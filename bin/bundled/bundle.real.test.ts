/**
 * The bundle of the commands says, word for word, what the sources say; it is never older than they are; and a command that only asks the
 * portal reads nothing of it.
 */
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeManifest } from '../../schema/testing/generated-manifests.ts';
import { mutate, writeText } from '../../schema/testing/mutants.ts';
import { createRandom } from '../../test/simulation/random.ts';
import { everyNth, shareSeed } from '../../test/support/share.ts';
import { bundleDir, inputsFile, type Inputs } from './start.ts';

const root = resolve(import.meta.dirname, '../..');
const node = join(root, 'node_modules/.bin/node');

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'svc-vb-'));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Outcome {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  return new Promise((done) => {
    const options = { cwd: dir, env: { ...process.env, SVC_KIT_SOURCE: '', ...env }, maxBuffer: 64e6 };
    execFile(command, args, options, (error, out, err) => done({ code: error?.code ?? 0, out, err }));
  });
}
const svc = (args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Outcome> => run(join(root, 'bin/svc'), args, env);
const sources = { SVC_KIT_SOURCE: '1' };

/** The bundles and our own sources that a command loaded. */
async function loaded(args: readonly string[]): Promise<readonly string[]> {
  const hook = join(dir, 'loaded.mjs');
  writeFileSync(
    hook,
    `import { registerHooks } from 'node:module';
import { appendFileSync } from 'node:fs';
registerHooks({ load: (url, context, next) => (appendFileSync(process.env.LOADED, url + '\\n'), next(url, context)) });`,
  );
  const list = join(dir, 'loaded.txt');
  writeFileSync(list, '');
  await run(node, ['--import', hook, join(root, 'build/bin/svc.mjs'), ...args], { LOADED: list });
  const urls = readFileSync(list, 'utf8').trim().split('\n');
  return urls.filter((url) => url.startsWith('file:')).map((url) => fileURLToPath(url));
}

describe('the bundle says what the sources say', () => {
  test(`of 300 mutants and a desired state (seed ${shareSeed})`, async () => {
    expect(existsSync(join(root, 'build/bin/svc.mjs'))).toBe(true);
    const random = createRandom(shareSeed);
    const files = join(dir, 'files');
    for (let nth = 0; nth < 300; nth += 1) {
      mkdirSync(join(files, `m${nth}`), { recursive: true });
      writeFileSync(join(files, `m${nth}`, 'svc-app.json'), writeText(random, mutate(random, makeManifest(random))));
    }
    const documents = ['Person', 'Portal', 'Server', 'Package', 'Backend', 'AppGrant', 'Gibtsnicht'].map(
      (kind, nth) => `apiVersion: svc/v1\nkind: ${kind}\nmetadata: { name: a${nth} }\nspec: { nada: 1 }\n`,
    );
    writeFileSync(join(files, 'a.yaml'), documents.join('---\n'));
    const [bundle, source] = await Promise.all([svc(['validate', '--json', files]), svc(['validate', '--json', files], sources)]);
    expect(bundle).toEqual(source);
    expect(bundle.code).toBe(1);
    expect((JSON.parse(bundle.out) as unknown[]).length).toBe(301);
  });

  test.for(
    everyNth(3, [
      [['help'], 0],
      [['--version'], 0],
      [['plan', join(root, 'examples/desired'), '-o', 'json'], 2],
      [['get', '--state', 'nowhere'], 1],
      [['rollback'], 1],
      [['server', 'trust', 'nobody', join(root, 'examples/desired')], 1],
    ] as const),
  )('svc %j', async ([args, code]) => {
    const [bundle, source] = await Promise.all([svc(args), svc(args, sources)]);
    expect(bundle).toEqual(source);
    expect(bundle.code).toBe(code);
  });

  test.for(everyNth(2, ['publicar-motor', 'svc-app-publish']))('%s', async (command) => {
    for (const args of [['--help'], ['nowhere']]) {
      const [bundle, source] = await Promise.all([run(join(root, 'bin', command), args), run(join(root, 'bin', command), args, sources)]);
      expect(bundle).toEqual(source);
    }
  });
});

test.for([
  [['get', '--state', 'nowhere'], 600_000],
  [['events', '--state', 'nowhere'], 600_000],
  // With the schemas of all documents, and the reader of repositories.
  [['validate', join(root, 'examples/apps/notas/svc-app.json')], 1_350_000],
  [['help'], 200_000],
] as const)('svc %j loads the file of its own and hardly more', async ([args, bytesMax]) => {
  const files = (await loaded(args)).filter((file) => !file.endsWith('loaded.mjs'));
  const alone = join(root, bundleDir, 'quick', `${args[0]}.mjs`);
  expect(files).toContain(alone);
  // Beside it what starts it.
  expect(files.length).toBeLessThan(8);
  expect(files.filter((file) => !file.startsWith(join(root, bundleDir)))).toEqual([]);
  // All that the commands are is 2 MB.
  expect(files.reduce((bytes, file) => bytes + readFileSync(file).length, 0)).toBeLessThan(bytesMax);
});

test('a command without a file of its own runs from the chunks', async () => {
  const files = await loaded(['why', '--help']);
  expect(files.filter((file) => file.startsWith(join(root, bundleDir, 'quick')))).toEqual([]);
  expect(files.length).toBeGreaterThan(3);
});

test('what the portal starts as a thread is a file of the bundle too', () => {
  const { outputs } = JSON.parse(readFileSync(join(root, inputsFile), 'utf8')) as Inputs;
  expect(outputs).toEqual(expect.arrayContaining(['store/room-log-thread.mjs', 'store/room-compact-thread.mjs']));
  const texts = outputs.filter((file) => file.endsWith('.mjs')).map((file) => readFileSync(join(root, bundleDir, file), 'utf8'));
  expect(texts.flatMap((text) => text.match(/new URL\("[^"]+\.ts"/g) ?? [])).toEqual([]);
});

describe('in a copy of svc', () => {
  let copy: string;
  const get = (): string => join(copy, 'bin/commands/get.ts');
  const ask = (env?: NodeJS.ProcessEnv): Promise<Outcome> => run(join(copy, 'bin/svc'), ['get', '--state', 'nowhere'], env);
  const build = (): Promise<Outcome> => run(node, [join(copy, 'setup/build.ts'), '--commands']);

  beforeAll(() => {
    copy = join(dir, 'copy');
    // With the times of the files, by which the bundle knows them. Of build/ the bundle alone: tests keep gigabytes beside it.
    const leftOut = new Set(['node_modules', '.git', 'state', 'docs', 'test', 'build'].map((name) => join(root, name)));
    const options = { recursive: true, preserveTimestamps: true };
    cpSync(root, copy, { ...options, filter: (from) => !leftOut.has(from) });
    cpSync(join(root, bundleDir), join(copy, bundleDir), options);
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  });

  test('an edit is what runs, before the next build and after it, and the sources without a bundle; a mistake of ours names the source', async () => {
    expect((await ask()).err).toContain('PORTAL_NOT_RUNNING');
    const text = readFileSync(get(), 'utf8');
    const head = 'export async function runGet(';
    const line = text.split('\n').findIndex((each) => each.startsWith(head)) + 1;
    const planted = text.replace(head, "throwPlanted();\nfunction throwPlanted() {\n  throw new Error('planted');\n}\n" + head);
    writeFileSync(get(), planted);
    expect((await ask()).err).toContain('planted');
    const edited = await ask({ SVC_DEBUG: '1' });
    expect(edited.err).toContain('planted');
    expect(edited.err).toContain(`bin/commands/get.ts:${line + 2}:`);
    expect((await build()).code).toBe(0);
    expect((await ask()).err).toContain('planted');
    const built = await ask({ SVC_DEBUG: '1' });
    expect(built.err).toContain(`bin/commands/get.ts:${line + 2}:`);
    expect(built.err).toMatch(/throwPlanted.*get\.ts/);
    // The edit taken back is an edit, too; and without a bundle the sources run.
    writeFileSync(get(), text);
    expect((await ask()).err).toContain('PORTAL_NOT_RUNNING');
    rmSync(join(copy, 'build/bin'), { recursive: true });
    expect((await ask()).err).toContain('PORTAL_NOT_RUNNING');
  });
});
