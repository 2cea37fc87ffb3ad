/** Each check of `svc test-app` can fail: one app that does all by hand, with one fault at a time, and the line that mends it. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createApp } from '../create/create-app.ts';
import { livingPids } from '../../kit/processes.ts';
import { everyNth } from '../../test/support/share.ts';
import { runSvc } from '../testing/run-svc.ts';
import { type CheckId, checks } from './check.ts';
import { testApp } from './run.ts';

const source = join(import.meta.dirname, 'testing/by-hand');
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Manifest = Record<string, unknown> & { backend: Record<string, unknown>; window: Record<string, unknown> };

/** A copy with the fault: the name of one that the app has, or what is done to the folder. */
function faulty(fault: string | ((dir: string) => void)): string {
  const dir = mkdtempSync(join(tmpdir(), 'svc-ft-'));
  folders.push(dir);
  cpSync(source, dir, { recursive: true });
  if (typeof fault === 'string') writeFileSync(join(dir, 'fault'), fault);
  else fault(dir);
  return dir;
}

const inManifest =
  (change: (manifest: Manifest) => void) =>
  (dir: string): void => {
    const file = join(dir, 'svc-app.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
    change(manifest);
    writeFileSync(file, JSON.stringify(manifest, null, 2));
  };
const without = (name: string) => (dir: string) => rmSync(join(dir, name));
const inPage = (from: string, to: string) => (dir: string) => {
  const file = join(dir, 'frontend/index.html');
  writeFileSync(file, readFileSync(file, 'utf8').replace(from, to));
};

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}

const run = async (fault: Parameters<typeof faulty>[0]) => await testApp(faulty(fault), process.env);

test.concurrent('without a fault every check passes', async () => {
  const { id, version, findings } = await run('');
  expect([id, version]).toEqual(['a-mao', '1.2.3']);
  expect(findings.filter(([, { verdict }]) => verdict !== 'pass')).toEqual([]);
  expect(findings.map(([check]) => check)).toEqual(Object.keys(checks));
});

/** The fault, the checks that it fails, and what the first of them says that mends it. The long run has all, others a third. */
const table: readonly (readonly [string, Parameters<typeof faulty>[0], readonly CheckId[], string])[] = [
  // These wait: they go first.
  ['never listens', 'never-listens', ['start', 'nowhere', 'bench'], 'escutar(server)'],
  ['503 at healthcheckPath', 'warms-up', ['health', 'page-root', 'page-path', 'gate-open'], '"healthcheckPath": "/saude"'],
  ['a second instance that takes over', 'takes-over', ['second-instance'], 'escutar(server)'],
  ['SIGTERM is not heard', 'deaf', ['sigterm-busy', 'sigterm'], 'escutar(server)'],
  ['a field that does not exist', inManifest((all) => (all['nmae'] = 'x')), ['manifest'], 'did you mean "name"?'],
  ['an icon that is not there', without('icon.svg'), ['files'], 'make icon.svg'],
  ['an icon that .svcignore leaves out', (dir) => writeFileSync(join(dir, '.svcignore'), '*.svg\n'), ['files'], '!icon.svg in .svcignore'],
  [
    'an icon of the window that is not there',
    without('frontend/icone.svg'),
    ['files', 'page-root', 'page-path'],
    'make frontend/icone.svg',
  ],
  [
    'an entrypoint that is not there',
    inManifest(({ backend }) => ((backend['entrypoint'] = 'x'), delete backend['installCommand'])),
    ['files'],
    'make x',
  ],
  [
    'a binary that may not be executed',
    inManifest(({ backend }) => Object.assign(backend, { runtime: 'binary' })),
    ['files'],
    'chmod +x backend/main.cjs',
  ],
  ['a settings script that is not there', inManifest((all) => (all['contributes'] = { settings: 's.js' })), ['files'], 'make s.js'],
  [
    'a mark of an own type that is not there',
    inManifest(
      (all) => (all['opens'] = { extensions: ['abc'], proprios: [{ extensao: 'abc', nome: 'A', cor: '#102030', icone: 'm.svg' }] }),
    ),
    ['files'],
    'make m.svg',
  ],
  [
    'a loader that only its backend has',
    inManifest((all) => ((all['type'] = 'engine'), (all['engine'] = { loader: 'gerado.js' }))),
    ['files'],
    'make frontend/gerado.js',
  ],
  [
    'an installCommand for one time',
    inManifest(({ backend }) => (backend['installCommand'] = 'mkdir feito')),
    ['install-command'],
    'mkdir -p',
  ],
  [
    'an installCommand that fails',
    inManifest(({ backend }) => (backend['installCommand'] = 'echo nada; exit 7')),
    ['install-command'],
    'exit 7',
  ],
  [
    'an engine that is not here',
    inManifest(
      (all) =>
        (all['motores'] = [{ nome: 'pandoc', versao: '3', url: 'https://x.org/v1/motor/pandoc/3', sha256: 'a'.repeat(64), tamanho: 1 }]),
    ),
    ['start'],
    'SVC_MOTOR_PANDOC=',
  ],
  ['ends at once', 'ends-at-once', ['start', 'nowhere', 'bench'], 'escutar(server)'],
  [
    'a mistake in the code',
    (dir) => writeFileSync(join(dir, 'backend/main.cjs'), "'use strict';\nlet a = ;\n"),
    ['start'],
    "backend/main.cjs:2: SyntaxError: Unexpected token ';'",
  ],
  ['no page', without('frontend/index.html'), ['page-root', 'page-path'], 'make frontend/index.html'],
  ['installCommand beside backend', inManifest((all) => (all['installCommand'] = 'true')), ['manifest'], 'it belongs into "backend"'],
  ['a port instead of the socket', 'port-only', ['start'], 'escutar(server)'],
  ['a socket for everybody', 'wide-socket', ['socket'], 'escutar(server)'],
  ['a port beside the socket', 'port-too', ['ports'], 'escutar(server)'],
  ['no gate', 'open-gate', ['gate'], 'servidor.portao'],
  ['no gate before /saude', 'open-saude', ['gate'], 'servidor.portao'],
  ['no gate before upgrades', 'open-upgrade', ['gate'], 'servidor.portao'],
  ['a gate without its mark', 'unmarked-gate', ['gate'], 'servidor.portao'],
  ['a gate that is shut on a bench', 'closed-without-token', ['gate-open'], 'servidor.portao'],
  ['the pid of another process', 'other-pid', ['saude'], 'servidor.portao'],
  ['500 at close-tabs', 'close-tabs-fails', ['close-tabs'], 'responderJson(res, 404'],
  ['the page for a capability', 'capability-page', ['capabilities'], 'responderJson(res, 404'],
  ['500 for a capability', 'capability-fails', ['capabilities'], 'answer below /eco/v1'],
  ['a capability that leads out of its rota', 'capability-leaves', ['capabilities'], 'Location below /eco/v1/'],
  ['a script that is not there', without('frontend/app.js'), ['page-root', 'page-path'], 'make frontend/app.js'],
  ['a rooted address in the page', inPage('src="app.js"', 'src="/app.js"'), ['page-path'], '"app.js", without the slash'],
  [
    'a rooted address in a script',
    (dir) => writeFileSync(join(dir, 'frontend/app.js'), "fetch('/api/x')\n"),
    ['page-path'],
    '"api/x", without the slash',
  ],
  ['a page that leads to / of the site', 'leads-out', ['page-path'], '"inicio", without the slash'],
  ['a base that is always /', 'fixed-base', ['page-path'], 'web.spa('],
  ['the page for everything', 'page-for-all', ['sdk'], 'responderJson(res, 404'],
  ['a second instance that fails', 'second-fails', ['second-instance'], 'escutar(server)'],
  ['an orphan that stays', 'keeps-orphan', ['orphan'], 'escutar(server)'],
  ['a request that is dropped at SIGTERM', 'drops-requests', ['sigterm-busy'], 'escutar(server)'],
  ['1 with nowhere to listen', 'nowhere-is-one', ['nowhere'], 'escutar(server)'],
  ['no --tcp', 'no-bench', ['bench'], 'escutar(server)'],
  ['3 at SIGTERM', 'ends-with-three', ['sigterm-busy', 'sigterm'], 'escutar(server)'],
  ['writes into its package', 'writes-here', ['package'], 'servidor.pastaDeDados()'],
];

test.concurrent.for(everyNth(3, table))('%s', async ([, fault, expected, mend]) => {
  const { findings } = await run(fault);
  const failed = findings.filter(([, { verdict }]) => verdict === 'fail');
  expect(failed.map(([check, { detail }]) => [check, detail.en])).toEqual(expected.map((check) => [check, expect.any(String)]));
  const [, first] = failed[0] ?? [];
  expect(first?.verdict === 'fail' ? first.mend.en : '').toContain(mend);
});

test.concurrent.for([
  ['in the network of the server', 'svc-wrap "$@" --', 'svc-wrap "$@" --network host --', 'ports', 'svc-wrap without --network host'],
  ['that ends at once', 'python3', 'false', 'start', 'the command behind svc-wrap in backend/app'],
] as const)('an existing program %s is found, and the line that mends it is of svc-wrap', async ([, from, to, check, mend]) => {
  const dir = join(mkdtempSync(join(tmpdir(), 'svc-ft-')), 'app');
  folders.push(dirname(dir));
  await createApp(dir, { id: 'aberto', nome: 'Aberto', descricao: 'd', template: 'wrap', language: 'en' }, process.env);
  const entrypoint = join(dir, 'backend/app');
  writeFileSync(entrypoint, readFileSync(entrypoint, 'utf8').replaceAll(from, to));
  const { findings } = await testApp(dir, process.env);
  const failed = findings.flatMap(([each, found]) => (found.verdict === 'fail' ? [[each, found.mend.en]] : []));
  expect(failed).toEqual([[check, expect.stringContaining(mend)]]);
});

test.concurrent.for(['warms-slowly', 'leads-on'])('an app that %s fails nothing', async (kind) => {
  const { findings } = await run(kind);
  expect(findings.filter(([, { verdict }]) => verdict !== 'pass')).toEqual([]);
});

test.concurrent('the command ends, and so does what the app left running with its output open', async () => {
  expect(await runSvc(tmpdir(), ['test-app', faulty('leaves-a-daemon')])).toMatchObject({ code: 0, err: '' });
  expect(livingPids().filter((pid) => commandOf(pid).includes('600.25'))).toEqual([]);
});

test('every check is seen to fail', () => {
  expect([...new Set(table.flatMap(([, , expected]) => expected))].toSorted()).toEqual(Object.keys(checks).toSorted());
});
