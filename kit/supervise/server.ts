/** The 0600 socket of the supervisor: JSON lines in, JSON lines out (schema/supervisor-protocol.ts). Everything is bounded. */
import { chmodSync, lstatSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { SupervisorRequest, AppSnapshot, SupervisorPush } from '../../schema/supervisor-lines.ts';
import { SvcError, type ErrorCode } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import { supervisorProtocolVersion } from '../../schema/supervisor-protocol.ts';
import { errorCode } from '../../schema/system-error.ts';
import { pathState, renameOver, unlinkIfThere } from '../atomic-file.ts';
import { isDiskFull } from '../disk-error.ts';
import { LaunchRefused } from '../launch/refusal.ts';
import { checkSocketPath } from '../launch/socket.ts';
import { follow, type Follower } from './follow.ts';
import { observeHealth } from './health.ts';
import { inTurn, isServerScope, logText, note, pin, start, stop, token, used } from './operations.ts';
import { parseRequest } from './requests.ts';
import { snapshotOf } from './snapshot.ts';
import { usageOf } from './usage.ts';
import { deleteSecret, putSecret, secretsView } from './vault.ts';
import { appOf, type Supervisor } from './app-state.ts';

interface Client {
  readonly socket: Socket;
  subscribed: boolean;
  readonly followers: Map<string, Follower>;
}

export interface ProtocolServer {
  readonly push: (snapshot: AppSnapshot) => void;
  readonly gone: (app: string) => void;
  /** run.log of the app may have grown. */
  readonly logChanged: (app: string) => void;
  /** Each pass: checks that the socket is at its path and ours; one that was deleted or replaced is made again. */
  readonly keep: () => Promise<void>;
  readonly close: () => void;
}

interface ServerOptions {
  readonly version: string;
  /** Whether other code is installed than this one was started from. */
  readonly isOutdated: () => boolean;
  /** Resolves when every installed app was observed once: an answer before that would call apps not installed. */
  readonly known: Promise<void>;
  readonly quit: () => void;
}

/** Listens; the socket appears at its path only when it accepts connections. */
export async function serve(supervisor: Supervisor, options: ServerOptions): Promise<ProtocolServer> {
  const clients = new Set<Client>();
  const path = accountPaths(supervisor.place).supervisorSocket;
  const attendTo = (socket: Socket): void => {
    const client: Client = { socket, subscribed: false, followers: new Map() };
    if (clients.size >= limits.supervisorClientsMax) {
      socket.end(
        `${JSON.stringify({ id: 0, ok: false, error: { code: 'TOO_LARGE', message: 'too many connections to the supervisor' } })}\n`,
      );
      socket.on('error', () => undefined);
      return;
    }
    clients.add(client);
    attend(supervisor, options, client);
    socket.once('close', () => {
      clients.delete(client);
      for (const follower of client.followers.values()) follower.end();
    });
  };
  let stand = await listen(attendTo, path);
  let remaking: Promise<void> | null = null;
  const remake = async (): Promise<void> => {
    // Present clients stay connected. Closing the old server unlinks the name that it was bound under, so it comes first.
    stand.server.close();
    stand = await listen(attendTo, path);
    supervisor.log('socket-made-again', { path });
  };
  const pushAll = (message: SupervisorPush): void => {
    const line = `${JSON.stringify(message)}\n`;
    for (const client of clients) if (client.subscribed) send(client, line);
  };
  return {
    push: (snapshot) => pushAll({ event: 'app', snapshot }),
    gone: (app) => pushAll({ event: 'gone', app }),
    logChanged: (app) => {
      for (const client of clients) client.followers.get(app)?.poll();
    },
    keep: async () => {
      if (remaking !== null || isStanding(stand, path)) return;
      remaking = remake().finally(() => {
        remaking = null;
      });
      await remaking;
    },
    close: () => {
      stand.server.close();
      for (const client of clients) client.socket.destroy();
      if (isStanding(stand, path)) unlinkIfThere(path);
    },
  };
}

interface Standing {
  readonly server: Server;
  /** The file at the path when it was made: a rename keeps it. */
  readonly inode: number;
}

/** The lock is ours, so a socket at the path belongs to a dead supervisor. */
function listen(attendTo: (socket: Socket) => void, path: string): Promise<Standing> {
  const temporary = `${path}.tmp`;
  checkSocketPath(temporary);
  unlinkIfThere(temporary);
  const server = createServer(attendTo);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(temporary, () => {
      try {
        chmodSync(temporary, 0o600);
        const { ino: inode } = lstatSync(temporary);
        renameOver(temporary, path);
        resolve({ server, inode });
      } catch (error) {
        server.close();
        reject(error);
      }
    });
  });
}

/** A path that can't be read counts as unchanged. */
function isStanding({ inode }: Standing, path: string): boolean {
  const file = pathState(path);
  return file.kind === 'unknown' || (file.kind === 'present' && file.stat.ino === inode);
}

/** A reader that does not keep up is dropped: it reads the state again when it comes back. */
function send(client: Client, line: string): boolean {
  if (client.socket.writableLength > limits.supervisorClientBufferedBytesMax) {
    client.socket.destroy();
    return false;
  }
  return client.socket.write(line);
}

function attend(supervisor: Supervisor, options: ServerOptions, client: Client): void {
  const { socket } = client;
  let pending: Buffer = Buffer.alloc(0);
  const refuse = (id: number | null, code: string, message: string): void => {
    send(client, `${JSON.stringify({ id: id ?? 0, ok: false, error: { code, message } })}\n`);
  };
  socket.on('error', () => undefined);
  socket.on('drain', () => {
    for (const follower of client.followers.values()) follower.poll();
  });
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf(0x0a); end !== -1; end = pending.indexOf(0x0a)) {
      const line = pending.subarray(0, end);
      pending = pending.subarray(end + 1);
      if (line.length > sharedLimits.supervisorLineBytesMax) break;
      const parsed = parseRequest(line.toString('utf8'));
      if (!parsed.ok) refuse(parsed.id, 'BAD_REQUEST', parsed.message);
      else void answer(supervisor, options, client, parsed.request);
    }
    if (pending.length <= sharedLimits.supervisorLineBytesMax) return;
    refuse(null, 'TOO_LARGE', 'a line is longer than the limit');
    socket.destroySoon();
    socket.removeAllListeners('data');
  });
}

async function answer(supervisor: Supervisor, options: ServerOptions, client: Client, request: SupervisorRequest): Promise<void> {
  try {
    const body = await carryOut(supervisor, options, client, request);
    send(client, `${JSON.stringify({ id: request.id, ok: true, ...body })}\n`);
    if (request.op === 'follow') startFollowing(supervisor, client, request.app, request.tail);
    if (request.op === 'quit') client.socket.end(options.quit);
  } catch (error) {
    const code = codeOf(error);
    const message = error instanceof Error ? error.message : String(error);
    if (code === 'INTERNAL') supervisor.log('request-failed', { op: request.op, error: message });
    send(client, `${JSON.stringify({ id: request.id, ok: false, error: { code, message } })}\n`);
  }
}

/** Disk errors are no defect of svc and have their own codes. */
function codeOf(error: unknown): ErrorCode {
  if (error instanceof SvcError) return error.code;
  if (error instanceof LaunchRefused) return 'BAD_REQUEST';
  if (isDiskFull(error)) return 'DISK_FULL';
  return ['EACCES', 'EPERM', 'EIO', 'ESTALE', 'ELOOP'].includes(errorCode(error)) ? 'FILES_UNREADABLE' : 'INTERNAL';
}

async function carryOut(supervisor: Supervisor, options: ServerOptions, client: Client, request: SupervisorRequest): Promise<object> {
  if ('leader' in request) heed(supervisor, request);
  switch (request.op) {
    case 'hello': {
      const { pid, bootId } = supervisor.self;
      const { disk, place } = supervisor;
      return {
        protocol: supervisorProtocolVersion,
        version: options.version,
        pid,
        bootId,
        home: place.home,
        outdated: options.isOutdated(),
        ...(disk === '' ? {} : { disk }),
      };
    }
    case 'subscribe':
    case 'snapshot': {
      await options.known;
      // Nothing between the two: a change after this is pushed.
      if (request.op === 'subscribe') client.subscribed = true;
      return { apps: [...supervisor.apps.values()].map((app) => snapshotOf(app, supervisor.nowMs())) };
    }
    case 'usage':
      return { atMs: performance.now(), apps: usageOf(supervisor.apps.values()) };
    case 'start':
      if (isServerScope(supervisor, request.app))
        throw new SvcError('BAD_REQUEST', `${request.app} is of server scope: its service manager starts it`);
      await inTurn(appOf(supervisor, request.app), () => start(supervisor, request));
      return { accepted: true };
    case 'stop':
      await inTurn(appOf(supervisor, request.app), () => stop(supervisor, request));
      return { accepted: true };
    case 'pin':
      await inTurn(appOf(supervisor, request.app), async () => {
        if (!pin(supervisor, request)) throw new SvcError('NOT_FOUND', `${request.app} is not wanted: there is nothing to pin`);
      });
      return { accepted: true };
    case 'used':
      used(supervisor, request);
      break;
    case 'doubt': {
      const app = supervisor.apps.get(request.app);
      if (app) observeHealth(supervisor, app, true);
      break;
    }
    case 'token':
      return { token: token(supervisor, request) };
    case 'log':
      return { text: logText(supervisor, request) };
    case 'note':
      note(supervisor, request);
      break;
    case 'secrets':
      return secretsView(supervisor, request);
    case 'secret-put':
      return await inTurn(appOf(supervisor, request.app), async () => putSecret(supervisor, request));
    case 'secret-delete':
      return await inTurn(appOf(supervisor, request.app), async () => deleteSecret(supervisor, request));
    case 'follow':
    case 'quit':
      break;
  }
  return { accepted: true };
}

/** Logs the sender of each order: of portals that follow each other only the last one counts. */
function heed({ fence, log }: Supervisor, { op, leader, ...request }: Extract<SupervisorRequest, { readonly leader?: number }>): void {
  if (op === 'subscribe') return fence.hear(leader);
  const order = { op, app: 'app' in request ? request.app : '', leader };
  try {
    fence.obey(leader);
  } catch (error) {
    log('order-refused', order);
    throw error;
  }
  log('order', order);
}

function startFollowing(supervisor: Supervisor, client: Client, app: string, tail: number): void {
  client.followers.get(app)?.end();
  const isFull = (): boolean => client.socket.writableNeedDrain;
  const push = (text: string): boolean => send(client, `${JSON.stringify({ event: 'log', app, text } satisfies SupervisorPush)}\n`);
  const follower = follow(appOf(supervisor, app), push, isFull);
  const before = logText(supervisor, { app, tail, previous: false });
  if (before !== '') push(before);
  client.followers.set(app, follower);
}
