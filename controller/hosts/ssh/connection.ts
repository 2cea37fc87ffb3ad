/**
 * The one connection that the portal keeps to an account of a server: opened on demand, kept alive, reopened after a cut with growing,
 * jittered pauses, closed after a long idle time. Commands go through a bounded pool; sockets don't count against sshd's MaxSessions and
 * are not bounded here (the proxy has its own bound).
 */
import { doubledMs, halfByChanceMs } from '../../../schema/backoff.ts';
import type { Duplex } from 'node:stream';
import type { Client, ClientChannel, PseudoTtyOptions } from 'ssh2';
import { pause, type Clock, withDeadline } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import type { RemoteShell, TerminalSize } from '../../../schema/terminals.ts';
import type { Words } from '../../../schema/texts/reasons.ts';
import { limits } from '../limits.ts';
import { checkSocketPath } from '../unix-socket.ts';
import { brokenOff, channelStream } from './channel-stream.ts';
import { publicKeyOf } from './credential.ts';
import { connectSsh, socketOf, type SshCredential, type SshTarget } from './connect.ts';
import { marked, newMark, shellError } from './login-shell.ts';
import { remoteCommand } from './remote-command.ts';
import { runOnChannel, watchExit, type RemoteExit, type RemoteResult, type RemoteRun } from './remote-run.ts';
import { createSessionPool, type SessionPool } from './session-pool.ts';
import { ptyModes, shellIn, shellOnChannel } from './remote-shell.ts';

export interface SshConnection {
  readonly account: string;
  /** Rejects SERVER_UNREACHABLE when nothing listens, as well as when there is no connection. */
  dial(socketPath: string): Promise<Duplex>;
  /** Runs argv there. Rejects SERVER_UNREACHABLE when the connection breaks off, SSH_SATURATED, LOGIN_SHELL, TIMEOUT, CANCELLED; an exit code is no error. */
  run(command: RemoteRun): Promise<RemoteResult>;
  /** A login shell on a pty. Rejects SERVER_UNREACHABLE, SSH_SATURATED. */
  shell(size: TerminalSize, folder: Uint8Array | null): Promise<RemoteShell>;
  /** The stream of a subsystem of the server (sftp); it takes a session as long as it is open. Rejects SERVER_UNREACHABLE, SSH_SATURATED, SFTP_OFF. */
  subsystem(name: string): Promise<Duplex>;
  /** Whether there is a connection now. */
  isUp(): boolean;
  /** The pause after a failure is over: another connection to this server was made. */
  hurry(): void;
  /**
   * The next use signs in anew: sshd keeps the shell, the home and the groups that the account had when it signed in. Channels that are
   * open on the connection go on.
   */
  renew(): void;
  close(): void;
}

export interface SshConnectionOptions {
  readonly target: SshTarget;
  readonly account: string;
  /** Read at each attempt: a key file may be replaced. */
  readonly credential: () => Promise<SshCredential>;
  readonly clock: Clock;
  /** Bounds the handshakes that a server has to do at once (sshd's MaxStartups). */
  readonly gate: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly onUp: () => void;
  /** A connection that was up is gone, or none could be made. */
  readonly onLost: (error: SvcError) => void;
  /** Tests make every pause the same. */
  readonly random?: () => number;
}

interface Live {
  readonly client: Client;
  readonly streams: Set<Duplex>;
  readonly pool: SessionPool;
  lost: boolean;
  users: number;
  cancelIdle: () => void;
}

interface State {
  readonly options: SshConnectionOptions;
  live: Live | null;
  /** With those before it that something is still open on. */
  readonly lives: Set<Live>;
  opening: Promise<Live> | null;
  failures: number;
  notBeforeMs: number;
  lastError: SvcError | null;
  closed: boolean;
}

export function createSshConnection(options: SshConnectionOptions): SshConnection {
  const state: State = {
    options,
    live: null,
    lives: new Set(),
    opening: null,
    failures: 0,
    notBeforeMs: 0,
    lastError: null,
    closed: false,
  };
  return {
    account: options.account,
    dial: (socketPath) => dial(state, socketPath),
    run: (command) => run(state, command),
    shell: (size, folder) => shell(state, size, folder),
    subsystem: (name) => subsystem(state, name),
    isUp: () => state.live !== null,
    hurry: () => {
      state.notBeforeMs = 0;
    },
    renew: () => {
      const { live } = state;
      state.live = null;
      if (live?.users === 0) leave(state, live);
    },
    close: () => {
      state.closed = true;
      for (const live of state.lives) drop(state, live, new SvcError('SERVER_UNREACHABLE', 'the portal ends its connections'));
    },
  };
}

/** The pause after the n-th failure in a row: 0.25, 0.5, 1 … s, half of it at random so that many don't come back together. */
function pauseMs(failures: number, random: () => number): number {
  return halfByChanceMs(doubledMs(limits.sshReconnectMs, failures, limits.sshReconnectMsMax), random());
}

async function liveOf(state: State): Promise<Live> {
  const { options } = state;
  if (state.closed) throw new SvcError('SERVER_UNREACHABLE', 'the portal ended its connections');
  if (state.live) return state.live;
  if (state.opening) return await state.opening;
  if (state.lastError && options.clock.monotonicMs() < state.notBeforeMs) throw state.lastError;
  state.opening = open(state).finally(() => {
    state.opening = null;
  });
  return await state.opening;
}

async function open(state: State): Promise<Live> {
  const { target, account: username, clock, credential, gate, random = Math.random, onUp, onLost } = state.options;
  try {
    const client = await gate(async () => {
      const key = await credential();
      return await connectSsh({ target, username, credential: key, clock }).catch((error: unknown) => {
        throw withKeyLine(error, username, key);
      });
    });
    const live: Live = { client, streams: new Set(), pool: createSessionPool(), lost: false, users: 0, cancelIdle: () => undefined };
    // Each channel that is being opened adds a listener.
    client.setMaxListeners(0);
    client.on('error', () => drop(state, live, brokenOff()));
    client.on('close', () => drop(state, live, brokenOff()));
    if (state.closed || socketOf(client).destroyed) {
      client.destroy();
      throw brokenOff();
    }
    state.live = live;
    state.lives.add(live);
    state.failures = 0;
    state.lastError = null;
    armIdle(state, live);
    onUp();
    return live;
  } catch (error) {
    const coded = error instanceof SvcError ? error : new SvcError('SERVER_UNREACHABLE', (error as Error).message, {}, { cause: error });
    state.failures += 1;
    state.lastError = coded;
    state.notBeforeMs = clock.monotonicMs() + pauseMs(state.failures, random);
    onLost(coded);
    throw coded;
  }
}

/** Adds the line by which an administrator of the server lets the key in. */
function withKeyLine(error: unknown, account: string, credential: SshCredential): unknown {
  if (!(error instanceof SvcError) || error.code !== 'SSH_REFUSED') return error;
  const key = publicKeyOf(credential);
  if (key === null) return error;
  const line = `${key} svc-portal`;
  const fix: Words = {
    pt: `no servidor, ponha esta linha em ~${account}/.ssh/authorized_keys: ${line}; se já está lá, o log do sshd (journalctl -u ssh) diz por que não vale: PermitRootLogin, AllowUsers, ou outra conta que pode escrever no arquivo ou na pasta (chmod go-w)`,
    en: `on the server, put this line into ~${account}/.ssh/authorized_keys: ${line}; if it is there, the log of sshd (journalctl -u ssh) says why it does not count: PermitRootLogin, AllowUsers, or others may write to the file or its folder (chmod go-w)`,
  };
  return new SvcError(error.code, error.message, { ...error.details, fix }, { cause: error.cause });
}

/** Everything that uses the connection is notified of its end at once. */
function drop(state: State, live: Live, error: SvcError): void {
  if (live.lost) return;
  live.lost = true;
  state.lives.delete(live);
  live.cancelIdle();
  if (state.live === live) state.live = null;
  live.client.destroy();
  for (const stream of live.streams) stream.destroy(error);
  live.streams.clear();
  if (!state.closed && error.code === 'SERVER_UNREACHABLE') state.options.onLost(error);
}

/** Closed when nothing was open on it for long. */
function armIdle(state: State, live: Live): void {
  const { clock } = state.options;
  live.cancelIdle();
  if (live.users > 0 || live.lost) return;
  live.cancelIdle = clock.at(clock.monotonicMs() + limits.sshIdleMsMax, () => {
    if (live.users === 0 && !live.lost) leave(state, live);
  });
}

/** Leaves a connection that nothing is open on. */
function leave(state: State, live: Live): void {
  live.lost = true;
  live.cancelIdle();
  state.lives.delete(live);
  if (state.live === live) state.live = null;
  live.client.end();
}

function use(state: State, live: Live): () => void {
  live.users += 1;
  live.cancelIdle();
  let done = false;
  return () => {
    if (done) return;
    done = true;
    live.users -= 1;
    armIdle(state, live);
  };
}

/** A server that sends nothing while a channel is opened is gone, even if TCP is still connected. */
async function openChannel(
  state: State,
  live: Live,
  what: string,
  ask: (done: (error: Error | undefined, channel: ClientChannel) => void) => void,
): Promise<ClientChannel> {
  const { clock } = state.options;
  const socket = socketOf(live.client);
  const heardBefore = socket.bytesRead;
  let late = false;
  const opened = new Promise<ClientChannel>((resolve, reject) => {
    const gone = (): void => reject(brokenOff());
    live.client.once('close', gone);
    ask((error, channel) => {
      live.client.off('close', gone);
      if (error) reject(error);
      else if (late) channel.close();
      else resolve(channel);
    });
  });
  return await withDeadline(clock, limits.dialMsMax, opened, () => {
    late = true;
    if (socket.bytesRead === heardBefore) drop(state, live, brokenOff());
    return new SvcError('TIMEOUT', `the server did not open ${what} within ${limits.dialMsMax / 1_000} s`);
  });
}

async function dial(state: State, socketPath: string): Promise<Duplex> {
  checkSocketPath(socketPath);
  const kept = state.live;
  try {
    return await dialOnce(state, socketPath);
  } catch (error) {
    // A kept connection that turned out to be dead says nothing about the server: a new one does. Nothing was sent yet.
    if (kept?.lost !== true || state.closed) throw error;
    return await dialOnce(state, socketPath);
  }
}

async function dialOnce(state: State, socketPath: string): Promise<Duplex> {
  const live = await liveOf(state);
  const release = use(state, live);
  try {
    const channel = await openChannel(state, live, 'a channel', (done) => live.client.openssh_forwardOutStreamLocal(socketPath, done));
    const stream = channelStream(channel, () => live.lost || socketOf(live.client).destroyed);
    live.streams.add(stream);
    stream.once('close', () => {
      live.streams.delete(stream);
      release();
    });
    return stream;
  } catch (error) {
    release();
    if (error instanceof SvcError) throw error;
    const { message, reason } = error as Error & { reason?: unknown };
    throw new SvcError(
      'SERVER_UNREACHABLE',
      reason === administrativelyProhibited
        ? `sshd does not forward to ${socketPath}: AllowStreamLocalForwarding has to be yes: ${message}`
        : `nothing listens on ${socketPath}, or sshd may not forward to it: ${message}`,
      {},
      { cause: error },
    );
  }
}

/** SSH_OPEN_ADMINISTRATIVELY_PROHIBITED (RFC 4254 5.1). */
const administrativelyProhibited = 1;

/** Whether a dial failed by the server's own word: it opened no channel to that socket. */
export function refusedBySshd(error: unknown): boolean {
  return error instanceof SvcError && typeof (error.cause as { reason?: unknown } | undefined)?.reason === 'number';
}

async function run(state: State, command: RemoteRun): Promise<RemoteResult> {
  try {
    return await runOnce(state, command);
  } catch (error) {
    throw isShellFault(error) ? await exactly(state, command, error) : error;
  }
}

const isShellFault = (error: unknown): error is SvcError => error instanceof SvcError && error.code === 'LOGIN_SHELL';

/** Asks by a command to which nothing is sent: a shell that reads goes on there, and a line that is dead shows. */
async function exactly(state: State, { stdin, cancelLine }: RemoteRun, error: SvcError): Promise<unknown> {
  const asked = await runOnce(state, { argv: ['true'], msMax: limits.shellAskMsMax }).catch((other: unknown) => other);
  if (asked instanceof Error) return isShellFault(asked) ? error : asked;
  const isSentTo = (stdin ?? null) !== null || cancelLine !== undefined;
  return isSentTo ? shellError(state.options.account, { kind: 'reads' }) : error;
}

async function runOnce(state: State, command: RemoteRun): Promise<RemoteResult> {
  const mark = newMark();
  const line = marked(mark, remoteCommand(command.argv));
  refuseCancelled(command);
  const live = await liveOf(state);
  const release = use(state, live);
  try {
    const session = await openSession(state, live, (done) => live.client.exec(line, done), { command });
    try {
      const { account, clock } = state.options;
      return await runOnChannel(session.channel, { mark, exit: session.exit, account, clock, isLost: () => live.lost }, command);
    } finally {
      live.pool.give();
    }
  } finally {
    release();
  }
}

function refuseCancelled({ argv, signal }: RemoteRun): void {
  if (signal?.aborted ?? false) throw new SvcError('CANCELLED', `${argv[0]} was cancelled before it began`);
}

interface Session {
  readonly channel: ClientChannel;
  readonly exit: RemoteExit;
}

/** Holds a turn of the pool until it ended. */
async function shell(state: State, { columns, rows }: TerminalSize, folder: Uint8Array | null): Promise<RemoteShell> {
  const live = await liveOf(state);
  const release = use(state, live);
  try {
    const pty: PseudoTtyOptions = { term: 'xterm-256color', cols: columns, rows, width: 0, height: 0, modes: ptyModes };
    const session = await openSession(state, live, (done) =>
      folder === null ? live.client.shell(pty, done) : live.client.exec(shellIn(folder), { pty }, done),
    );
    const opened = shellOnChannel(session.channel, session.exit, () => live.lost);
    void opened.ended.finally(() => {
      live.pool.give();
      release();
    });
    return opened;
  } catch (error) {
    release();
    throw error;
  }
}

type AskSession = (done: (error: Error | undefined, channel: ClientChannel) => void) => void;

interface SessionUse {
  /** The command that runs in it: it may be cancelled while it waits for its turn. */
  readonly command?: RemoteRun;
  /** Whether the server opened a session and says no to what is asked of it. */
  readonly isAnswer?: (error: Error) => boolean;
}

/** With a turn of the pool taken, which the caller gives back. */
async function openSession(
  state: State,
  live: Live,
  ask: AskSession,
  { command, isAnswer = () => false }: SessionUse = {},
): Promise<Session> {
  const { clock, random = Math.random } = state.options;
  const endMs = clock.monotonicMs() + limits.sshSessionWaitMsMax;
  for (let attempt = 1; ; attempt += 1) {
    await live.pool.take(command?.signal);
    try {
      if (command !== undefined) refuseCancelled(command);
      let exit: RemoteExit | null = null;
      const channel = await openChannel(state, live, 'a session', (done) =>
        ask((error, opened) => {
          // A command that ends at once says so in the packet that opens it: the listeners are attached before that.
          exit = error ? null : watchExit(opened);
          done(error, opened);
        }),
      );
      return { channel, exit: exit ?? watchExit(channel) };
    } catch (error) {
      const isCoded = error instanceof SvcError || isAnswer(error as Error);
      // Only a no of the server says how many sessions it opens; one that took too long does not.
      const isRefused = !isCoded && !live.lost;
      const waits = isRefused && live.pool.refused();
      live.pool.give();
      if (!isRefused) throw isCoded ? error : brokenOff();
      if (clock.monotonicMs() > endMs) {
        throw new SvcError(
          'SSH_SATURATED',
          `${state.options.target.host} opens no session for ${state.options.account} (sshd's MaxSessions?)`,
        );
      }
      if (!waits) await pause(clock, pauseMs(Math.min(attempt, 3), random));
    }
  }
}

/** Recognises ssh2's error for a session that is there and a subsystem that is not. */
const noSubsystem = (error: Error): boolean => /unable to start subsystem/i.test(error.message);

async function subsystem(state: State, name: string): Promise<Duplex> {
  const live = await liveOf(state);
  const release = use(state, live);
  try {
    const { channel } = await openSession(state, live, (done) => live.client.subsys(name, done), { isAnswer: noSubsystem });
    const stream = channelStream(channel, () => live.lost || socketOf(live.client).destroyed);
    live.streams.add(stream);
    stream.once('close', () => {
      live.streams.delete(stream);
      live.pool.give();
      release();
    });
    return stream;
  } catch (error) {
    release();
    if (!noSubsystem(error as Error)) throw error;
    throw new SvcError('SFTP_OFF', `the sshd of ${state.options.target.host} has no subsystem ${name}`, {}, { cause: error });
  }
}
