/** A portal in this process over a real sshd: what the tests of servers over ssh share. */
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { begin, type Running } from '../../bin/up/main.ts';
import { packSource } from '../../bin/up/pack-source.ts';
import { systemClock } from '../../controller/clock/system.ts';
import type { SshHostOptions } from '../../controller/hosts/ssh/host.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../../schema/limits.ts';
import type { StartAnswer, ObjectView } from '../../schema/wire/http.ts';
import { createControlCaller, type ControlCaller } from '../support/control-socket.ts';
import { freePort, repository, until } from '../support/portal.ts';
import { startSshd, type SshdOptions, type TestAccount, type TestSshd } from '../support/sshd.ts';

export interface SshWorldOptions extends SshdOptions {
  /** App ids below `packages`. */
  readonly apps: readonly string[];
  /** Folder with one package folder per app; examples/apps unless given. Called when the world's folder is there. */
  readonly packages?: (folder: string) => Promise<string>;
  /** So many of the accounts have a Person document: p0, p1, … All of them unless given. */
  readonly written?: number;
  readonly pinned?: readonly string[];
  /** The portal reaches sshd through this port. */
  readonly port?: (sshd: TestSshd) => Promise<number>;
  /** Replaces the pinned key. */
  readonly hostKey?: string;
  /** People sign in with the passwords of their accounts. */
  readonly passwords?: boolean;
  /** `Portal.spec.url`, where backends on the server reach the portal; svc.localhost unless given, which nothing on a server resolves. */
  readonly url?: string;
}

export interface SshWorld {
  readonly sshd: TestSshd;
  readonly state: string;
  /** The desired-state file. */
  readonly file: string;
  readonly people: readonly { readonly name: string; readonly account: TestAccount }[];
  /** Lines of the portal's log. */
  readonly log: string[];
  /** A portal anew on the same state and folder. */
  again(): Promise<void>;
  /** Makes the next pass come now: what was seen is old enough to be read again, lists of people (`People/…`) also where that takes long. */
  pass(...lists: readonly string[]): Promise<void>;
  view(key: string): Promise<ObjectView | null>;
  whenState(key: string, state: string, msMax?: number): Promise<ObjectView>;
  order(person: string, verb: 'start' | 'stop' | 'restart', app: string): Promise<StartAnswer>;
  admin(method: string, path: string, body?: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
  browser(): Browser;
  signedIn(person: string): Promise<Browser>;
  /** Port of the portal on 127.0.0.1. */
  readonly port: number;
  /** host:port of the shell's origin. */
  readonly host: string;
  /** host:port of an app's origin. */
  appHost(app: string): string;
  /** Pids of the backend's own process, by the account. */
  backends(app: string, account?: TestAccount): readonly number[];
  supervisors(account?: TestAccount): readonly number[];
  stop(): Promise<void>;
}

export async function createSshWorld(options: SshWorldOptions): Promise<SshWorld> {
  const sshd = await startSshd(options);
  const folder = await mkdtemp(join(tmpdir(), 'svcw-'));
  const state = join(folder, 's');
  const port = await freePort();
  const log: string[] = [];
  let running: Running | null = null;
  let aheadMs = 0;
  // Deadlines that are under way do not come sooner.
  const clock: Clock = {
    nowMs: () => systemClock.nowMs() + aheadMs,
    monotonicMs: () => systemClock.monotonicMs() + aheadMs,
    at: (atMs, fn) => systemClock.at(atMs - aheadMs, fn),
  };
  const caller = createControlCaller(join(state, 'svc.sock'));
  const stop = async (): Promise<void> => {
    caller.end();
    await running?.end();
    await sshd.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const people = sshd.accounts.slice(0, options.written).map((account, index) => ({ name: `p${index}`, account }));
    await writeDesired(join(folder, 'd'), sshd, people, options);
    const start = async (): Promise<Running> => {
      const sink = { write: (line: string) => void log.push(line) };
      const options = { dir: join(folder, 'd'), listen: `127.0.0.1:${port}`, state, clock };
      return await begin(options, pino({ level: 'info', base: null }, sink));
    };
    running = await start();
    return {
      sshd,
      state,
      file: join(folder, 'd/all.yaml'),
      people,
      log,
      ...portalCalls(caller, port, `${options.url ?? 'svc.localhost'}:${port}`),
      ...processCalls(sshd),
      again: async () => {
        await running?.end();
        running = await start();
      },
      pass: async (...lists) => {
        aheadMs += limits.resyncMs;
        for (const list of lists) running?.bus.enqueue(list, true);
        await running?.controller.resync();
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A host of the account's own, as the portal makes them; `over` as a test needs it. */
export function sshHostOptions(sshd: TestSshd, over: Partial<SshHostOptions> = {}): SshHostOptions {
  return {
    server: 'sirius',
    target: { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey },
    admin: 'root',
    credential: async () => ({ kind: 'key', privateKey: readFileSync(sshd.keyFile) }),
    kit: sshd.kit,
    prefix: sshd.dir,
    clock: systemClock,
    pack: (source) => packSource(source, sshd.dir),
    onBadPackage: () => undefined,
    kitFix: 'svc server add sirius',
    ...over,
  };
}

type PortalCalls = Pick<SshWorld, 'admin' | 'view' | 'whenState' | 'order' | 'browser' | 'signedIn' | 'port' | 'host' | 'appHost'>;

function portalCalls(caller: ControlCaller, port: number, host: string): PortalCalls {
  const admin: SshWorld['admin'] = (method, path, body) => caller.call(method, path, body);
  const view: SshWorld['view'] = async (key) => {
    const { body } = await admin('GET', `/api/admin/objects?prefix=${encodeURIComponent(key)}`);
    return (body as readonly ObjectView[]).find((object) => object.key === key) ?? null;
  };
  const open = (): Browser => createBrowser({ host, port, url: `http://${host}`, received: [] });
  return {
    admin,
    view,
    whenState: (key, wanted, msMax) => {
      const look = async (): Promise<ObjectView | null> => {
        const found = await view(key);
        return found?.state === wanted ? found : null;
      };
      return until(`${key} ${wanted}`, look, msMax);
    },
    order: async (person, verb, app) => (await admin('POST', `/api/admin/backends/${person}/${app}/${verb}`)).body as StartAnswer,
    browser: open,
    signedIn: async (person) => {
      const browser = open();
      const { link } = (await admin('POST', '/api/admin/links', { person })).body as { link: string };
      const url = new URL(link);
      const answer = await browser.request(url.pathname + url.search, { headers: navigation });
      if (answer.status !== 302) throw new Error(`sign-in answered ${answer.status}: ${answer.text}`);
      return browser;
    },
    port,
    host,
    appHost: (app) => `${app}.${host}`,
  };
}

function processCalls(sshd: TestSshd): Pick<SshWorld, 'backends' | 'supervisors'> {
  const pids = (account: TestAccount | undefined, matches: (argv: readonly string[], app: string | null) => boolean): readonly number[] => {
    const found = sshd.processes().filter(({ argv, app, uid }) => matches(argv, app) && (account === undefined || uid === account.uid));
    // Between fork and exec a child still has the words of its parent; of two that were started, neither is the other's child.
    return found.filter(({ parent }) => !found.some(({ pid }) => pid === parent)).map(({ pid }) => pid);
  };
  const isBackend = (argv: readonly string[], app: string): boolean =>
    argv.some((word) => new RegExp(`/svc-apps/(\\.versions/)?${app}/`).test(word)) && !argv.some((word) => /svc-app-run|flock$/.test(word));
  const isSupervisor = (argv: readonly string[]): boolean =>
    argv.some((word) => word.endsWith('/svc-app-supervisor.cjs')) && argv[0]?.endsWith('flock') !== true;
  return {
    backends: (app, account) => pids(account, (argv, of) => of === app && isBackend(argv, app)),
    supervisors: (account) => pids(account, isSupervisor),
  };
}

async function writeDesired(
  folder: string,
  sshd: TestSshd,
  people: SshWorld['people'],
  { apps, packages: make, pinned = [], port, hostKey, passwords = false, url }: SshWorldOptions,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const packages = (await make?.(folder)) ?? join(repository, 'examples/apps');
  const ssh = {
    host: '127.0.0.1',
    port: port === undefined ? sshd.port : await port(sshd),
    hostKey: hostKey ?? sshd.hostKey,
    key: { file: sshd.keyFile },
    kit: sshd.kit,
    prefix: sshd.dir,
  };
  const documents = [
    `kind: Portal\nmetadata: { name: casa }\nspec: { repository: ${JSON.stringify(packages)}${url === undefined ? '' : `, url: ${url}`}${passwords ? ', signIn: { ssh: {} }' : ''} }`,
    `kind: Server\nmetadata: { name: sirius }\nspec: ${JSON.stringify({ ssh })}`,
    ...people.map(
      ({ name, account }) =>
        `kind: Person\nmetadata: { name: ${name} }\nspec: { nome: Pessoa ${name}, login: ${name}, server: sirius, account: ${account.name} }`,
    ),
  ];
  for (const app of apps) {
    const { version } = (await import(join(packages, app, 'svc-app.json'), { with: { type: 'json' } })).default as { version: string };
    documents.push(`kind: Package\nmetadata: { name: ${app} }\nspec: { app: ${app}, versao: "${version}", server: sirius }`);
  }
  for (const app of pinned) {
    for (const { name } of people) {
      documents.push(`kind: Backend\nmetadata: { name: ${name}-${app} }\nspec: { app: ${app}, pessoa: ${name}, estado: ligado }`);
    }
  }
  await writeFile(join(folder, 'all.yaml'), documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
}
