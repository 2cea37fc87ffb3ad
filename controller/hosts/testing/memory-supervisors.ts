/** A server in memory with a supervisor for each account, over streams: what stands there and runs, and the orders that change it. For tests of the loop. */
import { duplexPair, type Duplex } from 'node:stream';
import type { Reason } from '../../../schema/backend.ts';
import type { AppSnapshot } from '../../../schema/supervisor-lines.ts';
import { kitVersion, supervisorProtocolVersion } from '../../../schema/supervisor-protocol.ts';
import type { Host, InstalledPackage } from '../host.ts';
import { memoryHost } from './memory-host.ts';

export interface MemorySupervisors {
  readonly host: Host;
  /** Apps that live on the account, whether or not a supervisor looks after them. */
  readonly living: Map<string, Map<string, Reason>>;
  /** Accounts whose supervisor lives. */
  readonly up: Set<string>;
  /** Packages in a person's account, beside the server's. */
  readonly own: Map<string, readonly InstalledPackage[]>;
  /** Requests that supervisors received, as `account op`. */
  readonly asked: string[];
  /** The supervisor of the account says how the app stands. */
  tell(account: string, app: string): void;
}

interface Request {
  readonly id: number;
  readonly op: string;
  readonly app?: string;
  readonly requestId?: string;
  readonly reason?: Reason;
}

const hello = { protocol: supervisorProtocolVersion, version: kitVersion, pid: 1, bootId: 'boot', outdated: false, disk: '' };

/** A line in, lines out; the stream ends after `quit`. */
function serveLines(stream: Duplex, answer: (request: Request) => readonly object[]): void {
  let rest = '';
  stream.on('error', () => undefined);
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const request = JSON.parse(line) as Request;
      for (const each of answer(request)) stream.write(`${JSON.stringify(each)}\n`);
      if (request.op === 'quit') stream.end();
    }
  });
}

/** A supervisor where one is up, and apps that answer every probe. */
function dialOf(up: ReadonlySet<string>, serve: (stream: Duplex, account: string) => void): Host['dial'] {
  return async (account, socketPath) => {
    const [ours, theirs] = duplexPair();
    ours.on('error', () => undefined);
    if (!socketPath.endsWith('/supervisor.sock'))
      theirs.once('data', () => theirs.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'));
    else if (up.has(account)) serve(theirs, account);
    else throw new Error('nobody listens');
    return ours;
  };
}

const without = (app: string, list: readonly InstalledPackage[]): readonly InstalledPackage[] => list.filter((one) => one.app !== app);

/** Pushes a snapshot that nobody asked for. */
function push(stream: Duplex, snapshot: AppSnapshot): void {
  stream.write(`${JSON.stringify({ event: 'app', snapshot })}\n`);
}

export function memorySupervisors(packages: readonly InstalledPackage[], snapshot: () => AppSnapshot): MemorySupervisors {
  const living: MemorySupervisors['living'] = new Map();
  const up: MemorySupervisors['up'] = new Set();
  const own: MemorySupervisors['own'] = new Map();
  let system = packages;
  const installedFor = (account: string): readonly InstalledPackage[] => [...system, ...(own.get(account) ?? [])];
  const lines = new Map<Duplex, string>();
  const asked: string[] = [];
  const ended = new Map<string, Map<string, { readonly requestId: string; readonly reason: Reason }>>();
  const snapshotOf = (account: string, { app, hash, version, scope }: InstalledPackage): AppSnapshot => {
    const lives = living.get(account)?.has(app) === true;
    const end = ended.get(account)?.get(app);
    const base = { ...snapshot(), app, installed: { version, hash, scope } };
    if (lives) return { ...base, process: base.process && { ...base.process, hash } };
    const stopped = { wanted: false, process: null, state: 'stopped', socket: 'absent' } as const;
    return { ...base, ...stopped, reason: end?.reason ?? 'NeverStarted', requestId: end?.requestId ?? null };
  };
  const serve = (stream: Duplex, account: string): void => {
    const apps = () => installedFor(account).map((one) => snapshotOf(account, one));
    lines.set(stream, account);
    stream.on('close', () => lines.delete(stream));
    const answers: Readonly<Record<string, (request: Request) => object>> = {
      hello: () => ({ ...hello, home: `/home/${account}` }),
      subscribe: () => ({ apps: apps() }),
      snapshot: () => ({ apps: apps() }),
      token: () => ({ token: 'token' }),
      stop: ({ app = '', requestId = '', reason = 'StoppedByAdmin' }) => {
        living.get(account)?.delete(app);
        ended.set(account, new Map(ended.get(account)).set(app, { requestId, reason }));
        return { accepted: true };
      },
      quit: () => {
        up.delete(account);
        return { accepted: true };
      },
    };
    serveLines(stream, (request) => {
      asked.push(`${account} ${request.op}`);
      const answer = { id: request.id, ok: true, ...answers[request.op]?.(request) };
      const changed = request.op === 'stop' ? apps().find(({ app }) => app === request.app) : undefined;
      return [answer, ...(changed ? [{ event: 'app', snapshot: changed }] : [])];
    });
  };
  const remove = async (app: string, scope: 'sistema' | 'pessoa', account: string | null): Promise<void> => {
    const before = new Map([...lines.values()].map((whose) => [whose, installedFor(whose).find((one) => one.app === app)]));
    if (scope === 'sistema') system = without(app, system);
    else if (account !== null) own.set(account, without(app, own.get(account) ?? []));
    for (const [stream, whose] of lines) {
      const gone = before.get(whose);
      if (gone === undefined || installedFor(whose).some((one) => one.app === app)) continue;
      push(stream, { ...snapshotOf(whose, gone), installed: null });
    }
  };
  return {
    host: {
      ...memoryHost(packages, dialOf(up, serve)),
      installed: async (account) => (account === null ? system : installedFor(account)),
      startSupervisor: async (account) => void up.add(account),
      remove,
    },
    living,
    up,
    own,
    asked,
    tell: (account, app) => {
      const one = installedFor(account).find((known) => known.app === app);
      for (const [stream, whose] of lines) if (one && whose === account) push(stream, snapshotOf(account, one));
    },
  };
}
