/** A throw-away server below one folder, with real packages and the real command, for the tests of kit/install. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { livingPids } from '../processes.ts';
import { compileCache } from '../testing/compile-cache.ts';
import { kitSource } from '../testing/kit-source.ts';
import type { InstallLine } from '../../schema/install-events.ts';

const command = resolve(import.meta.dirname, '../../bin/svc-app-install');

export interface Outcome {
  readonly code: number | null;
  readonly signal: string | null;
  readonly lines: readonly InstallLine[];
  readonly last: InstallLine | undefined;
  readonly stderr: string;
}

export interface TestServer {
  /** Prefix and home. */
  readonly dir: string;
  readonly apps: string;
  package(name: string, manifest?: Readonly<Record<string, unknown>>, files?: Readonly<Record<string, string>>): string;
  run(argv: readonly string[], environment?: Readonly<Record<string, string>>, onStart?: (child: ChildProcess) => void): Promise<Outcome>;
  /** In that folder. */
  runIn(cwd: string, argv: readonly string[]): Promise<Outcome>;
  /** Copies the content of another server's folder, which nobody uses at the moment. */
  copyFrom(other: TestServer): void;
  /** The version of an app as every reader sees it, or null. Throws when the package is incomplete. */
  version(app?: string): string | null;
  /** Processes that stand in a folder below `apps`, or in one whose name begins so. */
  pidsBelow(folder: string): readonly number[];
  /** Ends installers that still run, too. */
  dispose(): void;
}

/** Every file holds its version, so that a mixture shows. */
const files = (version: string): Readonly<Record<string, string>> =>
  Object.fromEntries(['backend/main.py', 'backend/other.py', 'frontend/index.html'].map((path) => [path, `# ${version}\n`.repeat(400)]));

/** `account`: whom the installer runs as; without it as whoever runs the test. */
export function testServer(
  dir = mkdtempSync(join(tmpdir(), 'svc-i-')),
  sources = mkdtempSync(join(tmpdir(), 'svc-p-')),
  account?: { readonly uid: number; readonly gid: number },
): TestServer {
  const apps = join(dir, 'opt/svc-apps');
  const installers = new Set<ChildProcess>();
  return {
    dir,
    apps,
    package: (name, manifest = {}, more = {}) => {
      const root = join(sources, name);
      const version = typeof manifest['version'] === 'string' ? manifest['version'] : '1.0.0';
      const whole = {
        id: 'notas',
        version,
        ...manifest,
        backend: { runtime: 'python3', entrypoint: 'backend/main.py', ...(manifest['backend'] as object) },
      };
      const all = { ...files(version), ...more, 'svc-app.json': JSON.stringify(whole) };
      rmSync(root, { recursive: true, force: true });
      for (const [path, text] of Object.entries(all)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), text);
        chmodSync(join(root, path), 0o600);
      }
      return root;
    },
    run: (argv, environment = {}, onStart) =>
      run(dir, argv, environment, account, (child) => {
        installers.add(child);
        onStart?.(child);
      }),
    runIn: (cwd, argv) => run(dir, argv, {}, account, undefined, cwd),
    copyFrom: (other) => void execFileSync('cp', ['-a', `${other.dir}/.`, dir]),
    version: (app = 'notas') => wholeVersion(join(apps, app)),
    pidsBelow: (folder) => livingPids().filter((pid) => placeOf(pid).startsWith(join(apps, folder))),
    dispose: () => {
      for (const child of installers) child.kill('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
      rmSync(sources, { recursive: true, force: true });
    },
  };
}

/** '' of one that ended meanwhile. */
function placeOf(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return '';
  }
}

function wholeVersion(folder: string): string | null {
  if (!existsSync(folder)) return null;
  const { version } = JSON.parse(readFileSync(join(folder, 'svc-app.json'), 'utf8')) as { version: string };
  for (const [path, text] of Object.entries(files(version))) {
    if (readFileSync(join(folder, path), 'utf8') !== text) throw new Error(`${path} is not of ${version}`);
  }
  return version;
}

function run(
  dir: string,
  argv: readonly string[],
  environment: Readonly<Record<string, string>>,
  account?: { readonly uid: number; readonly gid: number },
  onStart?: (child: ChildProcess) => void,
  cwd?: string,
): Promise<Outcome> {
  const child = spawn(command, [...argv, '--json'], {
    cwd,
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: dir,
      SVC_PREFIX: dir,
      SVC_KIT_SOURCE: kitSource,
      NODE_COMPILE_CACHE: compileCache,
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...account,
  });
  onStart?.(child);
  let text = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const lines = text.split('\n').filter(Boolean);
      const parsed = lines.map((line) => JSON.parse(line) as InstallLine);
      done({ code, signal, lines: parsed, last: parsed.at(-1), stderr });
    });
  });
}

/** Everything below a folder that a finished run may not leave: staging folders, links, versions that nobody names. */
export function leftovers(apps: string, versionsKept: number): readonly string[] {
  const root = join(apps, '.versions');
  const found: string[] = [];
  for (const name of existsSync(root) ? readdirSync(root) : []) {
    if (name.startsWith('in.')) found.push(name);
    if (name.startsWith('in.') || name.endsWith('.lock')) continue;
    const inStore = readdirSync(join(root, name));
    found.push(...inStore.filter((one) => !/^([0-9a-f]{12}(\.json)?|previous|install\.log)$/.test(one)));
    const folders = inStore.filter((one) => /^[0-9a-f]{12}$/.test(one));
    if (folders.length !== versionsKept) found.push(`${folders.length} versions of ${name}`);
    if (inStore.filter((one) => one.endsWith('.json')).length > versionsKept) found.push('records without a version');
  }
  return found;
}
