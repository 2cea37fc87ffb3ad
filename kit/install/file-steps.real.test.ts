/**
 * The installer killed (SIGKILL, the step half done) and out of disk at every single call that changes the file system, counted in the
 * running program by testing/file-steps.ts: the old or the new version is whole, an engine that looks installed is whole, and the next
 * run ends as if nothing had happened and leaves nothing. SVC_TEST_LONG=1 takes every step, otherwise some of them from a seed.
 * Each run lists its own steps: a download comes in as many pieces as the network makes of it, so a run may have fewer of them than the
 * one that was counted, and what it did not reach is tried again, one step earlier.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRandom } from '../../test/simulation/random.ts';
import { tellCount } from '../../test/support/counts.ts';
import { mountTmpfs, unmount } from '../../test/support/mounts.ts';
import { packFolder } from '../archive/pack.ts';
import { leftovers, testServer, type Outcome, type TestServer } from './test-server.ts';
import { makeEngine, serveEngine, type EngineServer, type EngineTarball } from './test-web-server.ts';

/** As an account of its own, which owns the prefix: then it extracts in its own process, and those steps count, too. */
const nobody = { uid: 65_534, gid: 65_534 };

const long = process.env['SVC_TEST_LONG'] === '1';
const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let base: string;
let engine: EngineTarball;
let web: EngineServer;
let sources: TestServer;
const rows: string[] = [];
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'svc-s-'));
  chmodSync(base, 0o755);
  writeFileSync(join(base, 'node'), `#!/bin/sh\nexec '${process.execPath}' '--import=${preload}' "$@"\n`, { mode: 0o755 });
  engine = await makeEngine(base, 200_000);
  web = await serveEngine(() => engine.bytes);
  sources = testServer(mkdtempSync(join(base, 'o-')), mkdtempSync(join(base, 'p-')));
});
afterAll(() => {
  web.close();
  rmSync(base, { recursive: true, force: true });
  console.log(['scenario | fault | steps | kinds | old version | new version | nothing', ...rows].join('\n'));
});

/** A package whose root phase is gone through, as a tarball: staged, verified, extracted. */
async function tarball(name: string, version: string, motores: readonly unknown[] = []): Promise<string> {
  const folder = sources.package(name, { version, motores, backend: { installCommand: 'true' } });
  const out = join(base, `${name}-${version}.tgz`);
  rmSync(out, { force: true });
  await packFolder(folder, { root: `notas-${version}`, out });
  chmodSync(out, 0o644);
  return out;
}
const motor = (versao: string): unknown => ({
  nome: 'rosto',
  versao,
  url: web.url,
  sha256: engine.sha256,
  tamanho: engine.bytes.length,
  confere: 'bin/motor',
});

interface Scenario {
  /** Makes what is there before. */
  readonly before: (server: TestServer) => Promise<void>;
  /** The command to interrupt and to run again. */
  readonly argv: () => Promise<readonly string[]>;
  readonly from: string | null;
  readonly to: string | null;
  readonly kept: number;
}

const ok = async (running: Promise<Outcome>): Promise<void> => expect(await running).toMatchObject({ code: 0 });
function folderOf(version: string): string {
  const folder = sources.package(`f${version}`, { version, backend: { installCommand: 'true' } });
  execFileSync('chown', ['-R', `${nobody.uid}:${nobody.gid}`, join(folder, '..')]);
  return folder;
}
const scenarios: Readonly<Record<string, Scenario>> = {
  'a first installation from a folder': {
    before: () => Promise.resolve(),
    argv: () => Promise.resolve([folderOf('1.0.0')]),
    from: null,
    to: '1.0.0',
    kept: 1,
  },
  'an upgrade from a folder': {
    before: (server) => ok(server.run([folderOf('1.0.0')])),
    argv: () => Promise.resolve([folderOf('2.0.0'), '--force']),
    from: '1.0.0',
    to: '2.0.0',
    kept: 2,
  },
  'an upgrade from a tarball with an engine': {
    before: async (server) => ok(server.run([await tarball('t', '1.0.0', [motor('0.9')])])),
    argv: async () => [await tarball('u', '2.0.0', [motor('1.0')]), '--force'],
    from: '1.0.0',
    to: '2.0.0',
    kept: 2,
  },
  'a rollback': {
    before: async (server) => {
      await ok(server.run([folderOf('1.0.0')]));
      await ok(server.run([folderOf('2.0.0'), '--force']));
    },
    argv: () => Promise.resolve(['--rollback', 'notas']),
    from: '2.0.0',
    to: '1.0.0',
    kept: 1,
  },
  'a removal': {
    before: (server) => ok(server.run([folderOf('1.0.0')])),
    argv: () => Promise.resolve(['--remove', 'notas']),
    from: '1.0.0',
    to: null,
    kept: 0,
  },
};

const preload = pathToFileURL(join(import.meta.dirname, 'testing/file-steps.ts')).href;
/** Programs of the kit pass NODE_OPTIONS by (kit/environment.real.test.ts): their Node is another one. */
const steps = (more: Readonly<Record<string, string>>): Record<string, string> => ({ SVC_NODE: join(base, 'node'), ...more });

function serverAt(dir: string): TestServer {
  const made = testServer(dir, mkdtempSync(join(base, 'q-')), nobody);
  return made;
}

/** Every engine that looks installed is whole, and the installed version has its own. */
function checkEngines(server: TestServer): void {
  const home = join(server.dir, 'var/lib/svc-motores/notas/rosto');
  for (const name of existsSync(home) ? readdirSync(home).filter((one) => !one.startsWith('.')) : [])
    expect(readFileSync(join(home, name, 'bin/motor'), 'utf8')).toContain('echo motor');
  const manifest = join(server.apps, 'notas/svc-app.json');
  if (!existsSync(manifest)) return;
  const { motores = [] } = JSON.parse(readFileSync(manifest, 'utf8')) as { motores?: { versao: string }[] };
  for (const { versao } of motores) expect(existsSync(join(home, versao, 'bin/motor'))).toBe(true);
}

/** A file that the installer, of another account, appends its steps to. */
function stepList(): { readonly path: string; readonly read: () => readonly string[] } {
  const path = join(mkdtempSync(join(base, 'l-')), 'steps');
  writeFileSync(path, '');
  chmodSync(dirname(path), 0o755);
  chmodSync(path, 0o666);
  return { path, read: () => readFileSync(path, 'utf8').split('\n').filter(Boolean) };
}

/** The version after a step. A run that ended before the step gives none, so the step before is tried. */
async function tryStep(...[scenario, argv, template, fault, nth]: Parameters<typeof interruptAt>): Promise<string> {
  for (let at = nth; at > 0; at -= 1) {
    const after = await interruptAt(scenario, argv, template, fault, at);
    if (after !== null) return after;
  }
  throw new Error(`${fault}: not one of the steps up to ${nth} was reached`);
}

/** Interrupts a run and runs it again. Returns what was installed in between; null when the run had ended before the step. */
async function interruptAt(
  scenario: Scenario,
  argv: readonly string[],
  template: string,
  fault: 'kill' | 'fill',
  nth: number,
): Promise<string | null> {
  const dir = mkdtempSync(join(base, 'd-'));
  if (fault === 'fill') await mountTmpfs(dir, 'size=6m,nr_inodes=400');
  chownSync(dir, nobody.uid, nobody.gid);
  const server = serverAt(dir);
  try {
    execFileSync('cp', ['-a', `${template}/.`, dir]);
    const list = stepList();
    const interrupted = await server.run(argv, steps({ SVC_TEST_STEP: `${nth}:${fault}:${dir}`, SVC_TEST_STEPS: list.path }));
    if (list.read().length < nth) {
      expect(interrupted).toMatchObject({ code: 0 });
      return null;
    }
    const after = server.version();
    expect([scenario.from, scenario.to]).toContain(after);
    checkEngines(server);
    // Killed; or an error with its name, never a crash.
    const told =
      fault === 'kill'
        ? { signal: 'SIGKILL' }
        : { last: interrupted.code === 0 ? { event: 'done' } : { event: 'error', code: 'DISK_FULL' } };
    expect(interrupted).toMatchObject(told);
    for (const name of readdirSync(dir)) if (name.startsWith('.filled')) rmSync(join(dir, name));
    const again = await server.run(argv);
    // Nothing is left to go back to when the interrupted rollback had got so far.
    const nothingLeft = argv[0] === '--rollback' && again.last?.event === 'error' && again.last.code === 'NO_PREVIOUS_VERSION';
    expect(nothingLeft ? 0 : again.code).toBe(0);
    expect([server.version(), scenario.kept === 0 ? [] : leftovers(server.apps, scenario.kept)]).toEqual([scenario.to, []]);
    checkEngines(server);
    return after ?? 'nothing';
  } catch (error) {
    throw new Error(`${fault} at step ${nth}: ${(error as Error).message}`, { cause: error });
  } finally {
    if (fault === 'fill') await unmount(dir);
    server.dispose();
  }
}

test.for(Object.keys(scenarios))(`%s (seed ${seed})`, { timeout: 3_600_000 }, async (name) => {
  const scenario = scenarios[name] as Scenario;
  const template = mkdtempSync(join(base, 'b-'));
  chownSync(template, nobody.uid, nobody.gid);
  await scenario.before(serverAt(template));
  const argv = await scenario.argv();
  // An uninterrupted run lists the steps.
  const counted = mkdtempSync(join(base, 'c-'));
  cpSync(template, counted, { recursive: true, verbatimSymlinks: true });
  execFileSync('cp', ['-a', `${template}/.`, counted]);
  chownSync(counted, nobody.uid, nobody.gid);
  const list = stepList();
  await ok(serverAt(counted).run(argv, steps({ SVC_TEST_STEPS: list.path })));
  const kinds = list.read();
  const every = kinds.map((_, at) => at + 1);
  // Anew for each test, so that one that is tried again takes the same steps.
  const random = createRandom(seed + Object.keys(scenarios).indexOf(name));
  const chosen = long ? every : Array.from({ length: 2 }, () => random.pick(every));
  for (const fault of ['kill', 'fill'] as const) {
    const ends = new Map<string, number>();
    const queue = [...chosen];
    const worker = async (): Promise<void> => {
      for (let nth = queue.shift(); nth !== undefined; nth = queue.shift()) {
        const after = await tryStep(scenario, argv, template, fault, nth);
        ends.set(after, (ends.get(after) ?? 0) + 1);
      }
    };
    await Promise.all([worker(), worker()]);
    expect([...ends.values()].reduce((sum, one) => sum + one, 0)).toBe(chosen.length);
    const by = (version: string | null): number => ends.get(version ?? 'nothing') ?? 0;
    const tally = [...new Set(kinds)].map((kind) => `${kinds.filter((one) => one === kind).length} ${kind}`).join(', ');
    rows.push(
      `${name} | ${fault === 'kill' ? 'SIGKILL' : 'disk full'} | ${chosen.length} of ${kinds.length} | ${tally} | ${scenario.from === null ? '–' : by(scenario.from)} | ${scenario.to === null ? '–' : by(scenario.to)} | ${by(null)}`,
    );
    tellCount(
      `install, ${fault === 'kill' ? 'SIGKILL' : 'disk full'} at file-system steps of ${name}: ${chosen.length} of ${kinds.length} tried, half apps 0, lost versions 0, seed ${seed}`,
    );
  }
});
