/**
 * controller/hosts/ssh/: the host driver `ssh`, and the other parts of the portal that talk to an sshd: sign-in by password and the server
 * kit. This file: one authenticated connection to a server whose host key was checked before anything secret was sent. There is no way to
 * connect without a pin. Decision: docs/decisions/0063-how-the-portal-signs-in.md
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import ssh2 from 'ssh2';
import type {
  AgentAuthMethod,
  AnyAuthMethod,
  AuthHandlerMiddleware,
  Client,
  ConnectConfig,
  PublicKeyAuthMethod,
  ServerHostKeyAlgorithm,
} from 'ssh2';
import { isAccountName } from '../../../schema/account-name.ts';
import { type Clock, withDeadline } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import type { Words } from '../../../schema/texts/reasons.ts';
import { limits } from '../limits.ts';
import { packetReads } from './packets.ts';

export interface SshAddress {
  /** A name, an IPv4, or an IPv6 with or without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface SshTarget extends SshAddress {
  /** Fingerprint of one of the server's host keys, as `ssh-keygen -lf` prints it: SHA256:… */
  readonly hostKey: string;
}

export type SshCredential =
  /** `next`: another key that may open it as well, while the portal's key is being changed. */
  | { readonly kind: 'key'; readonly privateKey: Buffer; readonly next?: Buffer }
  /** Path of the socket of an ssh-agent. */
  | { readonly kind: 'agent'; readonly socket: string }
  /** Other sign-ins than by password are handled in check-password.ts. */
  | { readonly kind: 'talk'; readonly handler: AuthHandlerMiddleware; readonly banner: (text: string) => void };

export interface ConnectOptions {
  readonly target: SshTarget;
  /** A Linux account; rejects NOT_FOUND when it can't be the name of one. */
  readonly username: string;
  readonly credential: SshCredential;
  readonly clock: Clock;
}

export interface HostKey {
  /** ssh-ed25519, … */
  readonly type: string;
  readonly fingerprint: string;
}

/** By type, in the order in which they are tried. SHA-1 signatures (`ssh-rsa`) and DSA are not spoken. */
const hostKeyTypes: Readonly<Record<string, readonly ServerHostKeyAlgorithm[]>> = {
  'ssh-ed25519': ['ssh-ed25519'],
  'ecdsa-sha2-nistp256': ['ecdsa-sha2-nistp256'],
  'ecdsa-sha2-nistp384': ['ecdsa-sha2-nistp384'],
  'ecdsa-sha2-nistp521': ['ecdsa-sha2-nistp521'],
  'ssh-rsa': ['rsa-sha2-512', 'rsa-sha2-256'],
};

/** A fingerprint belongs to one key of one type: asked for first the next time. */
const typeOfPin = new Map<string, string>();

/**
 * Rejects HOST_KEY_CHANGED (nothing secret was sent), SSH_REFUSED (the server does not take the credential), or SERVER_UNREACHABLE for
 * every transient failure. The caller ends the connection and gets its end from the client's `close` event.
 */
export async function connectSsh({ target, username, credential, clock }: ConnectOptions): Promise<Client> {
  if (!isAccountName(username)) throw new SvcError('NOT_FOUND', `${JSON.stringify(username)} can't be the name of an account`);
  const deadlineMs = clock.monotonicMs() + limits.sshConnectMsMax;
  const pin = withoutPadding(target.hostKey);
  const seen: HostKey[] = [];
  let likely = typeOfPin.get(pin);
  for (;;) {
    const types = likely === undefined ? typesLeft(seen) : [likely];
    let shown: HostKey | null = null;
    const config: ConnectConfig = {
      ...authentication(target, username, credential),
      keepaliveInterval: limits.sshKeepAliveMs,
      keepaliveCountMax: limits.sshKeepAlivesMissedMax,
      algorithms: { serverHostKey: types.flatMap((type) => hostKeyTypes[type] ?? []), compress: ['none'] },
      hostVerifier: (key: Buffer) => {
        shown = hostKeyOf(key);
        return shown.fingerprint === pin;
      },
    };
    try {
      const banner = credential.kind === 'talk' ? credential.banner : null;
      const client = await handshake(target, config, clock, deadlineMs, banner);
      if (shown !== null) typeOfPin.set(pin, (shown as HostKey).type);
      return client;
    } catch (error) {
      const other = shown as HostKey | null;
      const noneOfThese = other === null && isNoCommonKey(error) && (likely !== undefined || seen.length > 0);
      if (!noneOfThese && (other === null || other.fingerprint === pin)) throw coded(error, target, username);
      // A server has a key of each type: the pinned one may be another than the first that both sides like.
      if (other !== null) seen.push(other);
      const hasMore = likely !== undefined || (other !== null && typesLeft(seen).length > 0);
      if (!hasMore) throw changed(target, seen);
      likely = undefined;
      typeOfPin.delete(pin);
    }
  }
}

/** The host keys that a server shows, one of each type. Nothing is sent but the opening of the protocol. */
export async function scanHostKeys(address: SshAddress, clock: Clock): Promise<readonly HostKey[]> {
  const seen: HostKey[] = [];
  for (;;) {
    const types = typesLeft(seen);
    if (types.length === 0) return seen;
    let shown: HostKey | null = null;
    const config: ConnectConfig = {
      username: 'nobody',
      authHandler: [],
      algorithms: { serverHostKey: types.flatMap((type) => hostKeyTypes[type] ?? []) },
      hostVerifier: (key: Buffer) => {
        shown = hostKeyOf(key);
        return false;
      },
    };
    try {
      const client = await handshake(address, config, clock, clock.monotonicMs() + limits.sshConnectMsMax);
      client.destroy();
      throw new SvcError('INTERNAL', 'the connection went on although no host key was taken');
    } catch (error) {
      const key = shown as HostKey | null;
      if (key === null && seen.length > 0 && isNoCommonKey(error)) return seen;
      if (key === null || error instanceof SvcError) throw coded(error, address, null);
      seen.push(key);
    }
  }
}

/** SHA256:… as OpenSSH prints it. */
export function hostKeyOf(blob: Buffer): HostKey {
  const length = blob.length >= 4 ? blob.readUInt32BE(0) : 0;
  const type = blob.subarray(4, 4 + Math.min(length, 64)).toString('latin1');
  return { type, fingerprint: `SHA256:${withoutPadding(createHash('sha256').update(blob).digest('base64'))}` };
}

const withoutPadding = (text: string): string => text.replace(/={1,2}$/, '');

function typesLeft(seen: readonly HostKey[]): readonly string[] {
  return Object.keys(hostKeyTypes).filter((type) => !seen.some((key) => key.type === type));
}

/** A single method, tried once: a server that is asked for others first counts them as failed attempts. */
function authentication(target: SshTarget, username: string, credential: SshCredential): ConnectConfig {
  if (credential.kind === 'key') {
    const { privateKey, next } = credential;
    return next === undefined
      ? { username, authHandler: [methodOf(username, privateKey)] }
      : { username, authHandler: oneOfBoth(target, username, [privateKey, next]) };
  }
  if (credential.kind === 'agent') {
    return { username, authHandler: [{ type: 'agent', username, agent: credential.socket }] as AgentAuthMethod[] };
  }
  return { username, authHandler: credential.handler };
}

const methodOf = (username: string, key: Buffer): PublicKeyAuthMethod => ({ type: 'publickey', username, key });

/** Which of two keys an account took last, by where it is and its name: the one that is asked for first, so that sshd counts no refusal. */
const lastTaken = new Map<string, string>();

/** Ends the sign-in. */
const noMore = false as unknown as AnyAuthMethod;

function oneOfBoth({ host, port }: SshTarget, username: string, keys: readonly Buffer[]): AuthHandlerMiddleware {
  const account = `${username}@${host}:${port}`;
  const nameOf = (key: Buffer): string => createHash('sha256').update(key).digest('base64');
  const last = lastTaken.get(account);
  const left = keys.toSorted((one, other) => Number(nameOf(other) === last) - Number(nameOf(one) === last));
  return (_methods, _partial, take) => {
    const key = left.shift();
    if (key !== undefined) lastTaken.set(account, nameOf(key));
    take(key === undefined ? noMore : methodOf(username, key));
  };
}

const sockets = new WeakMap<Client, net.Socket>();

/** The socket below a connection that `connectSsh` made: how much came in, and whether it is gone. */
export function socketOf(client: Client): net.Socket {
  const socket = sockets.get(client);
  if (!socket) throw new SvcError('INTERNAL', 'not a connection of connectSsh');
  return socket;
}

/** An own socket with noDelay: without it Nagle and delayed ACKs cost 40 ms a command. */
async function handshake(
  { host, port }: SshAddress,
  config: ConnectConfig,
  clock: Clock,
  deadlineMs: number,
  banner: ((text: string) => void) | null = null,
): Promise<Client> {
  const reads = packetReads();
  const socket = net.connect({ host: host.replace(/^\[(.*)\]$/, '$1'), port, noDelay: true, onread: reads.onread });
  const client = new ssh2.Client();
  reads.attach(socket, client);
  // An `error` event without a listener would end the process.
  socket.on('error', () => undefined);
  client.on('error', () => undefined);
  if (banner !== null) client.on('banner', banner);
  const open = async (): Promise<Client> => {
    await once(socket, 'connect');
    await new Promise<void>((resolve, reject) => {
      client.once('ready', resolve);
      client.once('error', reject);
      client.once('close', () => reject(new Error('the server closed the connection')));
      // An expired password: the server wants a new one before it opens anything.
      client.once('change password', () => reject(Object.assign(new Error('expired'), { level: 'client-authentication' })));
      client.connect({ ...config, sock: socket, readyTimeout: 0 });
    });
    return client;
  };
  const leftMs = Math.max(0, deadlineMs - clock.monotonicMs());
  try {
    sockets.set(client, socket);
    return await withDeadline(clock, leftMs, open(), () => new Error(`no answer within ${limits.sshConnectMsMax / 1_000} s`));
  } catch (error) {
    client.destroy();
    socket.destroy();
    throw error;
  }
}

function isNoCommonKey(error: unknown): boolean {
  return error instanceof Error && /no matching (server )?host key/i.test(error.message);
}

function changed({ host, port, hostKey }: SshTarget, seen: readonly HostKey[]): SvcError {
  const shown = seen.map(({ type, fingerprint }) => `${fingerprint} (${type})`).join(', ');
  return new SvcError(
    'HOST_KEY_CHANGED',
    `${host}:${port} shows ${shown}, pinned is ${hostKey}: nothing was sent; if the server has new keys, svc server trust says what to write`,
    { seen },
  );
}

/** Rewrites an error of ssh2, which is worded for its developers: a code, whom it is about, and the cause in a few words. */
function coded(error: unknown, { host, port }: SshAddress, username: string | null): SvcError {
  if (error instanceof SvcError) return error;
  const { level, code, message } = error as { readonly level?: string; readonly code?: string; readonly message: string };
  const where = `${username === null ? '' : `${username}@`}${host}:${port}`;
  if (level === 'client-authentication') {
    return new SvcError('SSH_REFUSED', `the server refuses the sign-in of ${where}`, {}, { cause: error });
  }
  const fix = fixOf(code ?? message, host, port);
  return new SvcError('SERVER_UNREACHABLE', `no ssh connection to ${where}: ${code ?? message}`, fix === null ? {} : { fix }, {
    cause: error,
  });
}

/** Null: nobody can say from here. */
function fixOf(word: string, host: string, port: number): Words | null {
  if (word === 'ECONNREFUSED')
    return {
      pt: `nada escuta na porta ${port} de ${host}: inicie o sshd lá (systemctl start ssh), ou corrija port no documento Server`,
      en: `nothing listens on port ${port} of ${host}: start sshd there (systemctl start ssh), or correct port in the Server document`,
    };
  if (word === 'ENOTFOUND' || word === 'EAI_AGAIN')
    return {
      pt: `o nome ${host} não resolve: corrija host no documento Server, ou o registro DNS`,
      en: `the name ${host} does not resolve: correct host in the Server document, or its DNS record`,
    };
  if (['EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT'].includes(word) || word.startsWith('no answer within'))
    return {
      pt: `veja se a máquina ${host} está ligada e se a rede e o firewall deixam passar a porta ${port}`,
      en: `look whether the machine ${host} is up, and whether network and firewall let port ${port} through`,
    };
  return null;
}
