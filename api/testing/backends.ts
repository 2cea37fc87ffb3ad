/**
 * A gateway made by hand over real backends: each app is an HTTP server of its own on a unix socket with the token gate of rules 5, which tests
 * start and stop; states change as a controller would change them.
 */
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { WebSocketServer } from 'ws';
import type { Bus } from '../../store/bus.ts';
import type { BackendState, Reason } from '../../schema/backend.ts';
import type { SecretsView } from '../../schema/wire/http.ts';
import { SvcError } from '../../schema/errors.ts';
import { shownOf } from '../../schema/manifest/shown-fields.ts';
import type { FilesCommands } from '../../schema/files.ts';
import type { QueueOff } from '../../schema/jobs.ts';
import { kindOf } from '../../schema/keys.ts';
import type {
  AppCommands,
  AppsView,
  AppView,
  Gateway,
  PeopleCommands,
  PersonRecord,
  QueueView,
  SignInSettings,
  ServerActEvent,
} from '../../schema/gateway.ts';
import type { HeldOfPerson } from '../../schema/erasure.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { createTestShells, type TestShells } from './shells.ts';
import { createTestShop, type TestShop } from './shop.ts';

export interface TestBackend {
  readonly person: string;
  readonly app: string;
  readonly token: string;
  /** Requests that passed the gate: method and path with all headers. */
  readonly seen: http.IncomingMessage[];
  /** Answers what passed the gate; echoes method and path until a test says otherwise. */
  respond: http.RequestListener;
  log: string;
  view: AppView;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Changes the view and informs the bus, as the controller does. */
  become(status: BackendState, reason: Reason, more?: Partial<AppView>): void;
}

export interface TestWorld {
  readonly gateway: Gateway;
  /** Files of every package, by path. */
  readonly files: Map<string, Uint8Array>;
  /** The secrets of a person's app, with their values. */
  vault(person: string, app: string): ReadonlyMap<string, string>;
  readonly shop: TestShop;
  /** Whether packages were read: a test may say no. */
  packagesRead: boolean;
  queueOff: QueueOff | null;
  /** Nobody has files until a test says so. */
  filesOf: FilesCommands['of'];
  backend(person: string, app: string): TestBackend;
  /** Sign-in methods of the Portal document, and the servers' verdicts on passwords: none until a test sets them. */
  signIn: SignInSettings;
  checkPassword: PeopleCommands['checkPassword'];
  arrived: PeopleCommands['arrived'];
  close(): Promise<void>;
  /** The shells of terminals. */
  readonly shells: TestShells;
}

export const people: readonly PersonRecord[] = [
  { usuario: 'ana', nome: 'Ana Souza', login: 'ana', grupos: ['editores'], servidor: 'casa' },
  { usuario: 'bia', nome: 'Bia', login: 'bia', grupos: [], servidor: 'casa' },
];

export const icon = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';

/** Every script of every package here; what lies in `servido/` is in none. */
export const sectionScript = 'SettingsRegistry.register({})';
const isScript = /^(?!(?:.*\/)?servido\/).*\.js$/;

const plainManifest: Omit<Manifest, 'id'> = {
  version: '1.0.0',
  icon: 'icon.svg',
  backend: { runtime: 'node', entrypoint: 'x' },
  secrets: [{ name: 'API_KEY', description: 'the key', required: true }],
};

/** Takes every job and runs none. */
const queue: Omit<QueueView, 'off'> = {
  clusters: () => [{ nome: 'local', isolamento: 'plain', alcancavel: true, mensagem: '', emVoo: 0, emVooMax: 2, emEspera: 0 }],
  cluster: (name) => (name === null || name === 'local' ? { nome: 'local', limites: { cpus: 4 } } : null),
  stateOf: () => ({ estado: 'em-espera', reason: 'JobHeld', message: '', lugar: null }),
  spaceBytesMax: () => 1_000,
};

const peopleView = (signIn: () => SignInSettings): Gateway['people'] => ({
  find: (usuario) => people.find((person) => person.usuario === usuario) ?? null,
  all: () => people,
  signIn,
});
const changes = [{ key: 'Grant/a', action: 'grant/revoke', detail: 'ana', reason: 'PersonRemoved' }] as const;
const plan = { ok: true, changes, blocked: [], errors: [], pendingPrune: [] };

type Find = (person: string, app: string) => TestBackend | undefined;

function countsOf(states: readonly BackendState[]): ReadonlyMap<BackendState, number> {
  return new Map(states.map((state) => [state, states.filter((one) => one === state).length]));
}

/** `declared`: what the manifests of apps say besides what all say; it may change under way. */
export function createTestWorld(
  dir: string,
  bus: Bus,
  apps: readonly string[],
  declared: Readonly<Record<string, Partial<Manifest>>> = {},
): TestWorld {
  const backends = new Map<string, TestBackend>();
  for (const { usuario } of people) for (const app of apps) backends.set(`${usuario}/${app}`, createBackend(dir, bus, usuario, app));
  const find: Find = (person, app) => backends.get(`${person}/${app}`);
  const manifest = (app: string): Manifest => ({ ...plainManifest, id: app, ...declared[app] });
  const vaults = createVaults((usuario, app) => (find(usuario, app) ? (manifest(app).secrets ?? []) : null));
  const [shop, shells, files] = [createTestShop(icon), createTestShells(), new Map([['icon.svg', Buffer.from(icon)]])];
  const gateway: Gateway = {
    people: peopleView(() => world.signIn),
    apps: {
      of: (usuario) => [...backends.values()].filter(({ person }) => person === usuario).map(({ view }) => view),
      find: (usuario, app) => find(usuario, app)?.view ?? null,
      has: (usuario, app) => find(usuario, app) !== undefined,
      byState: () => countsOf([...backends.values()].map(({ view }) => view.status)),
      installed: (usuario) => [...backends.values()].filter(({ person }) => person === usuario).map(({ app }) => app),
      isInstalled: (app) => apps.includes(app),
      manifest: (usuario, app) => (world.packagesRead && find(usuario, app) ? manifest(app) : null),
      packagesRead: () => world.packagesRead,
      scope: (usuario, app) => (find(usuario, app) ? (manifest(app).instalacao?.[0] ?? 'sistema') : null),
      file: async (_usuario, _app, file) => files.get(file) ?? (isScript.test(file) ? Buffer.from(sectionScript) : null),
      cluster: () => null,
      observeUsage: lookAtUsage(backends),
    },
    shop: shop.view,
    queue: { ...queue, off: () => world.queueOff },
    admin: {
      objects: () => [],
      why: whyOf,
      ...shop.admin,
      usage: async () => [],
      serverChecks: async () => [],
      ...noKeysHeld,
      plan: async () => plan,
    },
    commands: {
      people: { checkPassword: (...asked) => world.checkPassword(...asked), arrived: (who) => world.arrived(who), openShell: shells.open },
      apps: { ...appCommands(dir, find, manifest), ...vaults.commands },
      files: { of: (...who) => world.filesOf(...who) },
      admin: {
        apply: async () => plan,
        ...shop.commands,
        ...nothingDoneTo,
      },
    },
  };
  const world: TestWorld = {
    gateway,
    files,
    vault: vaults.of,
    shells,
    signIn: { ssh: false, oidc: null, passkey: false },
    ...nobody,
    shop,
    filesOf: noFiles,
    packagesRead: true,
    queueOff: null,
    backend: (person, app) => {
      const backend = find(person, app);
      if (!backend) throw new Error(`no backend ${person}/${app} in this world`);
      return backend;
    },
    close: async () => void (await Promise.all([...backends.values()].map((backend) => backend.stop()))),
  };
  return world;
}

const nobody: Pick<PeopleCommands, 'checkPassword' | 'arrived'> = {
  checkPassword: async () => ({ kind: 'refused', serverMessage: null }),
  arrived: async () => null,
};

const whyOf: Gateway['admin']['why'] = async (key) =>
  kindOf(key) === 'Backend'
    ? { key, sentence: 'it waits', waitsFor: null, nextDeadlineMs: null, lastLogLines: [], requestId: null, fix: null }
    : null;

const noFiles: FilesCommands['of'] = () => Promise.reject(new SvcError('SERVER_UNREACHABLE', 'nobody has files here'));

function appCommands(
  dir: string,
  find: Find,
  manifest: (app: string) => Manifest,
): Omit<AppCommands, keyof ReturnType<typeof createVaults>['commands']> {
  return {
    route: (usuario, app) => {
      const backend = find(usuario, app);
      if (backend?.view.status !== 'running') return null;
      const socketPath = socketOf(dir, usuario, app);
      return {
        generation: backend.token,
        socketPath,
        dial: async () => net.connect(socketPath),
        token: backend.token,
        speaksForPeople: manifest(app).escopo === 'servidor',
        keepIdleMs: 1_000,
      };
    },
    tokenRefused: () => undefined,
    log: async (usuario, app, { tail, previous }) => {
      const text = previous ? 'the run before\n' : (find(usuario, app)?.log ?? '');
      return text
        .split('\n')
        .slice(-tail - 1)
        .join('\n');
    },
    note: async (usuario, app, text) => {
      const backend = find(usuario, app);
      if (backend) backend.log += `svc: ${text}\n`;
    },
    followLog: (usuario, app, { signal }) => follow(find(usuario, app)?.log ?? '', signal),
  };
}

/** Usage of running apps, the same figures every time. */
function lookAtUsage(backends: ReadonlyMap<string, TestBackend>): AppsView['observeUsage'] {
  return async (usuario) => {
    for (const backend of backends.values()) {
      if (backend.person === usuario && backend.view.status === 'running')
        backend.view = { ...backend.view, uso: { cpu: 12.5, memoria: 1_048_576, tarefas: 3 } };
    }
  };
}

type Declared = NonNullable<Manifest['secrets']>;

/** Vaults as supervisors would hold them: tests check that nothing else has the values. */
function createVaults(declared: (usuario: string, app: string) => Declared | null) {
  const vaults = new Map<string, Map<string, string>>();
  const of = (usuario: string, app: string): Map<string, string> => {
    const key = `${usuario}/${app}`;
    const vault = vaults.get(key) ?? new Map<string, string>();
    vaults.set(key, vault);
    return vault;
  };
  const asked = (usuario: string, app: string): Declared => {
    const found = declared(usuario, app);
    if (found === null) throw new SvcError('NOT_FOUND', `app ${app} is not installed`);
    return found;
  };
  const view = (usuario: string, app: string): SecretsView => ({
    secrets: asked(usuario, app).map(({ name, description = '', required = false }) => {
      return { name, description, required, declared: true, set: of(usuario, app).has(name) };
    }),
    restartNeeded: false,
  });
  const commands: Pick<AppCommands, 'secretNames' | 'putSecret' | 'deleteSecret'> = {
    secretNames: async (usuario, app) => view(usuario, app),
    putSecret: async (usuario, app, name, value) => {
      if (!asked(usuario, app).some((secret) => secret.name === name)) {
        throw new SvcError('SECRET_UNDECLARED', `the manifest of ${app} asks for no secret ${name}`);
      }
      of(usuario, app).set(name, value);
      return view(usuario, app);
    },
    deleteSecret: async (usuario, app, name) => {
      of(usuario, app).delete(name);
      return view(usuario, app);
    },
  };
  return { commands, of };
}

async function* follow(log: string, signal: AbortSignal): AsyncIterable<string> {
  yield log;
  for (let line = 0; !signal.aborted; line += 1) {
    yield `line ${line}\n`;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

function socketOf(dir: string, person: string, app: string): string {
  return path.join(dir, `${person}-${app}.sock`);
}

function createBackend(dir: string, bus: Bus, person: string, app: string): TestBackend {
  const token = `canary-${randomBytes(16).toString('hex')}`;
  const seen: http.IncomingMessage[] = [];
  const server = http.createServer((req, res) => {
    if (req.headers['x-svc-app-token'] !== token) {
      res.writeHead(403, { 'x-svc-token': 'recusado' }).end();
      return;
    }
    seen.push(req);
    backend.respond(req, res);
  });
  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (req, socket, head) => {
    if (req.headers['x-svc-app-token'] !== token) return socket.destroy();
    seen.push(req);
    return sockets.handleUpgrade(req, socket, head, (ws) => ws.on('message', (data) => ws.send(data)));
  });
  const backend: TestBackend = {
    person,
    app,
    token,
    seen,
    respond: (req, res) => {
      res.writeHead(200, { 'content-type': req.url?.endsWith('.html') || req.url === '/' ? 'text/html' : 'text/plain' });
      req.pipe(res).write(`${person}/${app} ${req.method} ${req.url}\n`);
    },
    log: `hello of ${app}\n`,
    view: initialView(app),
    start: async () => {
      if (!server.listening) {
        await rm(socketOf(dir, person, app), { force: true });
        await new Promise<void>((resolve) => server.listen(socketOf(dir, person, app), resolve));
      }
      backend.become('running', 'Healthy', { ready: true });
    },
    stop: async () => {
      for (const client of sockets.clients) client.terminate();
      server.closeAllConnections();
      if (server.listening) await new Promise((resolve) => server.close(resolve));
    },
    become: (status, reason, more = {}) => {
      backend.view = { ...backend.view, ready: false, ...more, status, reason, message: `${app} is ${status}` };
      bus.publish(person, { type: 'app-status', app, status, ready: backend.view.ready, reason, message: backend.view.message });
    },
  };
  return backend;
}

function initialView(app: string): AppView {
  return {
    id: app,
    name: app,
    version: '1.0.0',
    ...shownOf({ window: { width: 640 } }),
    aoFechar: 'encerrar',
    status: 'stopped',
    ready: false,
    reason: 'NeverStarted',
    message: '',
    sinceMs: 0,
    wanted: false,
    pinned: false,
    pid: null,
    connections: null,
    busy: null,
    failures: 0,
    restarts: 0,
    lastExit: null,
    nextAttemptAtMs: null,
    contained: false,
    containedReason: '',
    secrets: { declared: 1, missing: ['API_KEY'], restartNeeded: false },
    gpuVerdict: null,
    stale: false,
    update: null,
    updateOthers: 0,
    drain: null,
    endsAtMs: null,
    uso: null,
    step: null,
    cluster: null,
    trabalho: null,
  };
}

async function nobodyHeld(person: string): Promise<HeldOfPerson> {
  return { person, document: null, server: null, account: null, held: [], sharedRooms: [], erasure: null };
}

async function* nothingDone(): AsyncGenerator<ServerActEvent> {
  yield { event: 'done', text: 'done' };
}

const nothingPlanned = { ok: true, changes: [], blocked: [], errors: [], pendingPrune: [] } as const;
const noKeysHeld = { sshKey: async () => null } as const;
const nothingDoneTo = {
  serverAct: nothingDone,
  rotateKey: nothingDone,
  heldOf: nobodyHeld,
  ownFile: async () => ({ file: 'administracao.yaml', dir: '/', managed: null, documents: [], servers: [], groups: [] }),
  draftOwn: async () => ({ file: 'administracao.yaml', digest: '', diff: [], plan: nothingPlanned, elsewhere: null }),
  writeOwn: async () => nothingPlanned,
  space: async () => [],
  askErasure: nobodyHeld,
  finishErasure: nothingDone,
  movePerson: nothingDone,
} as const;
