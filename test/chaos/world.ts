/**
 * The world that chaos is made in: a real sshd with five accounts, a `svc up` of its own, six apps for each person, all of them pinned on or
 * off by YAML, homes and the portal's state on small file systems of their own, and a wall clock of the portal that can be moved.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, realpathSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { accountPaths, appPaths } from '../../schema/server-paths.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import type { AdminAnswer } from '../support/control-socket.ts';
import { mountTmpfs, unmount } from '../support/mounts.ts';
import { repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startSshd, type TestAccount, type TestSshd } from '../support/sshd.ts';

export const apps = ['notas', 'relogio', 'caderno', 'batimento', 'motor-eco', 'placa'] as const;
export type App = (typeof apps)[number];
/** Wanted at first; an edit of the YAML may turn any of them. */
const offAtFirst: readonly App[] = ['placa'];

export interface ChaosPerson {
  readonly name: string;
  readonly account: TestAccount;
  readonly paths: ReturnType<typeof accountPaths>;
  app(app: string): ReturnType<typeof appPaths>;
}

export interface ChaosWorld {
  readonly sshd: TestSshd;
  readonly portal: RunningPortal;
  readonly people: readonly ChaosPerson[];
  /** The portal's state folder, a file system of its own. */
  readonly state: string;
  /** Where a package lies on the server. */
  packageFolder(app: string): string;
  /** Remembers the present content of the packages as the expected one. */
  remember(): void;
  /** Files that differ from the remembered ones; [] before. */
  packageChanges(app: string): readonly string[];
  /** The folder of YAML, and its one file. */
  readonly desired: string;
  readonly file: string;
  wanted(person: string, app: string): boolean;
  want(person: string, app: string, on: boolean): void;
  /** Writes the YAML anew, as an editor does: a new file in the place of the old one. `without` leaves documents out, by kind and name. */
  writeDesired(without?: (kind: string, name: string) => boolean): Promise<void>;
  admin(method: string, path: string, body?: unknown): Promise<AdminAnswer>;
  objects(): Promise<readonly ObjectView[]>;
  /** Status that the app's own socket answers with; null: nobody answers. */
  knock(person: ChaosPerson, app: string): Promise<number | null>;
  /** Moves the wall clock of the portal, in seconds from now. */
  moveClock(seconds: number): Promise<void>;
  stop(): Promise<void>;
}

const libraries = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu'].map((dir) => join(dir, 'faketime/libfaketime.so.1'));

function clockLibrary(): string {
  const found = libraries.find((file) => existsSync(file));
  if (found === undefined) throw new Error('no libfaketime here; install it with:  apt-get install -y --no-install-recommends faketime');
  return found;
}

export async function createChaosWorld(): Promise<ChaosWorld> {
  const library = clockLibrary();
  const sshd = await startSshd({ accounts: 5, config: ['LogLevel INFO', 'MaxStartups 100'] });
  const folder = await mkdtemp(join(tmpdir(), 'svcx-'));
  const [desired, state, clock] = [join(folder, 'd'), join(folder, 's'), join(folder, 'clock')];
  const mounted: string[] = [];
  const people = sshd.accounts.map((account, n): ChaosPerson => {
    const place = { home: account.home, prefix: sshd.dir };
    return { name: `p${n}`, account, paths: accountPaths(place), app: (app) => appPaths(place, app) };
  });
  const off = new Set(people.flatMap(({ name }) => offAtFirst.map((app) => `${name}/${app}`)));
  const wanted: ChaosWorld['wanted'] = (person, app) => !off.has(`${person}/${app}`);
  const versions = await versionsOf(apps);
  const packageFolder = (app: string): string => join(sshd.dir, 'opt/svc-apps', app);
  const remembered = new Map<string, ReadonlyMap<string, string>>();
  const file = join(desired, 'all.yaml');
  const write: ChaosWorld['writeDesired'] = async (without = () => false) => {
    await writeFile(`${file}.new`, desiredText(sshd, people, versions, wanted, without));
    await rename(`${file}.new`, file);
  };
  const end = (): Promise<void> => takeDown(sshd, mounted, folder);
  try {
    for (const { account } of people) {
      await mountTmpfs(account.home, `size=48m,mode=0700,uid=${account.uid}`);
      mounted.push(account.home);
    }
    for (const dir of [desired, state]) await mkdir(dir);
    // Rooms want a quarter of a GiB left free there.
    await mountTmpfs(state, 'size=512m,mode=0700');
    mounted.push(state);
    await writeFile(clock, '+0');
    await write();
    const env = { LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: clock, FAKETIME_CACHE_DURATION: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' };
    const portal = await startPortal({ desired, state, env: { ...env, SVC_LOG_LEVEL: 'warn' } });
    return {
      sshd,
      portal,
      people,
      state,
      desired,
      file,
      packageFolder,
      remember: () => {
        for (const app of apps) remembered.set(app, contents(packageFolder(app)));
      },
      packageChanges: (app) => differences(remembered.get(app), contents(packageFolder(app))),
      wanted,
      want: (person, app, on) => void (on ? off.delete(`${person}/${app}`) : off.add(`${person}/${app}`)),
      writeDesired: write,
      admin: (method, path, body) => portal.admin(method, path, body),
      objects: async () => (await portal.admin('GET', '/api/admin/objects')).body as readonly ObjectView[],
      knock,
      moveClock: (seconds) => writeFile(clock, `${seconds >= 0 ? '+' : ''}${seconds}`),
      stop: async () => {
        await portal.stop();
        await end();
      },
    };
  } catch (error) {
    // The cause of the failure is reported, and not the errors of taking it down after that.
    await end().catch(() => undefined);
    throw error;
  }
}

async function takeDown(sshd: TestSshd, mounted: readonly string[], folder: string): Promise<void> {
  await until('the accounts to be empty', () => {
    const left = sshd.processes();
    for (const { pid } of left) kill(pid, 'SIGKILL');
    return left.length === 0;
  });
  await Promise.all(mounted.map(unmount));
  await sshd.stop();
  await rm(folder, { recursive: true, force: true });
}

/** False: it was gone. */
export function kill(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch {
    return false;
  }
}

async function versionsOf(ids: readonly string[]): Promise<Readonly<Record<string, string>>> {
  const found = ids.map(async (app) => {
    const manifest = await import(join(repository, 'examples/apps', app, 'svc-app.json'), { with: { type: 'json' } });
    return [app, (manifest.default as { version: string }).version] as const;
  });
  return Object.fromEntries(await Promise.all(found));
}

function desiredText(
  sshd: TestSshd,
  people: readonly ChaosPerson[],
  versions: Readonly<Record<string, string>>,
  wanted: ChaosWorld['wanted'],
  without: (kind: string, name: string) => boolean,
): string {
  const ssh = {
    host: '127.0.0.1',
    port: sshd.port,
    hostKey: sshd.hostKey,
    key: { file: sshd.keyFile },
    kit: sshd.kit,
    prefix: sshd.dir,
  };
  const documents: (readonly [kind: string, name: string, spec: unknown])[] = [
    ['Portal', 'casa', { repository: join(repository, 'examples/apps') }],
    ['Server', 'sirius', { ssh }],
    ...people.map(
      ({ name, account }) =>
        ['Person', name, { nome: `Pessoa ${name}`, login: name, server: 'sirius', account: account.name, grupos: ['todas'] }] as const,
    ),
    ...Object.entries(versions).map(([app, versao]) => ['Package', app, { app, versao, server: 'sirius' }] as const),
    ...people.flatMap(({ name }) =>
      apps.map((app) => ['Backend', `${name}-${app}`, { app, pessoa: name, estado: wanted(name, app) ? 'ligado' : 'desligado' }] as const),
    ),
  ];
  return documents
    .filter(([kind, name]) => !without(kind, name))
    .map(([kind, name, spec]) => JSON.stringify({ apiVersion: 'svc/v1', kind, metadata: { name }, spec }))
    .join('\n---\n');
}

/** Path and hash of every file, as root sees it. */
function contents(folder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (!existsSync(folder)) return found;
  // The folder itself may be a link to the version that is current.
  for (const entry of readdirSync(realpathSync(folder), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    found.set(
      relative(realpathSync(folder), path),
      entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('hex') : 'folder',
    );
  }
  return found;
}

function differences(then: ReadonlyMap<string, string> | undefined, now: ReadonlyMap<string, string>): readonly string[] {
  if (then === undefined) return [];
  return [...new Set([...then.keys(), ...now.keys()])].filter((path) => then.get(path) !== now.get(path));
}

function knock(person: ChaosPerson, app: string): Promise<number | null> {
  return new Promise((done) => {
    const asked = request({ socketPath: person.app(app).socket, path: '/saude', timeout: 5_000 }, (answer) => {
      answer.resume();
      done(answer.statusCode ?? null);
    });
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => done(null));
    asked.end();
  });
}
