/**
 * Identifies the process at the other end of the control socket by the kernel (SO_PEERCRED), and decides whether it may be administrator: not an app
 * that runs as the account of the portal. A guard against mistakes, not a border: docs/decisions/0152-the-control-socket.md says what remains.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { limits } from '../limits.ts';

export interface Peer {
  readonly pid: number;
  readonly uid: number;
}

/** Null: there is no python3 to ask the kernel with. */
export type PeerAnswer = Peer | null;

/** By the C module below `socket`, which alone takes half the time to load: 8 ms instead of 16, before each answer. */
const program = 'import _socket as s;p=s.socket(fileno=3).getsockopt(s.SOL_SOCKET,s.SO_PEERCRED,12);print(*memoryview(p).cast("i")[:2])';
/** The one of the system, not what a PATH may hold. */
const python = '/usr/bin/python3';

export function canAskPeer(): boolean {
  return existsSync(python);
}

/** Node has no call for this option: a child gets the open socket as descriptor 3. Rejects when it fails. */
export function askPeer(socket: Socket): Promise<PeerAnswer> {
  if (!canAskPeer()) return Promise.resolve(null);
  const { promise, resolve, reject } = Promise.withResolvers<PeerAnswer>();
  const child = spawn(python, ['-I', '-S', '-c', program], {
    stdio: ['ignore', 'pipe', 'ignore', socket],
    timeout: limits.controlPeerMsMax,
    env: {},
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
  child.once('error', reject);
  child.once('close', (code) => {
    const [, pid, uid] = /^(\d+) (\d+)\n$/.exec(text) ?? [];
    if (code === 0 && pid !== undefined && uid !== undefined) resolve({ pid: Number(pid), uid: Number(uid) });
    else reject(new Error(`the kernel could not be asked who is there (${code ?? 'no time'})`));
  });
  return promise;
}

/** Reads /proc of a process. Throws the read errors. */
export interface ProcessReader {
  environ(pid: number): string;
  cgroup(pid: number): string;
  parent(pid: number): number;
}

const proc: ProcessReader = {
  environ: (pid) => readFileSync(`/proc/${pid}/environ`, 'latin1'),
  cgroup: (pid) => readFileSync(`/proc/${pid}/cgroup`, 'latin1'),
  parent: (pid) => {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1]);
  },
};

/** Null: let in. Otherwise why not. */
export function judgePeer(peer: PeerAnswer, own: Peer, reader: ProcessReader = proc): string | null {
  if (peer === null) return null;
  if (peer.pid === own.pid) return 'the portal does not ask itself: some socket leads to this one';
  // Root may do everything, and a portal of another account could not look at its processes.
  if (peer.uid === 0 && own.uid !== 0) return null;
  if (peer.uid !== own.uid) return `for the account of the portal: uid ${own.uid}, not ${peer.uid}`;
  try {
    reader.environ(peer.pid);
  } catch {
    return `process ${peer.pid} can't be looked at, or is gone`;
  }
  const found = appAbove(peer.pid, reader);
  return found === null ? null : `process ${peer.pid} belongs to the app ${JSON.stringify(found.slice(0, 128))}`;
}

/** The app of the process or of one of its parents; null when none is an app's. A parent of another account (sshd, sudo) is passed over. */
function appAbove(pid: number, reader: ProcessReader): string | null {
  for (let at = pid, steps = 0; at > 1 && steps < limits.controlPeerParentsMax; steps += 1) {
    const app =
      appIn(attempt(() => reader.environ(at)) ?? '') ?? /\/svc-app-([^/\n]+)\.scope/.exec(attempt(() => reader.cgroup(at)) ?? '')?.[1];
    if (app !== undefined) return app;
    at = attempt(() => reader.parent(at)) ?? 0;
  }
  return null;
}

function appIn(environ: string): string | undefined {
  const entries = environ.split('\0');
  if (!entries.some((entry) => entry.startsWith('SVC_APP_SOCKET='))) return undefined;
  return entries.find((entry) => entry.startsWith('SVC_APP_ID='))?.slice('SVC_APP_ID='.length);
}

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

export interface Judged {
  /** Null: let in. */
  readonly why: string | null;
  /** Account of the process at the other end; null when it could not be found out. */
  readonly uid: number | null;
}

/** Let in by the mode of the socket alone. */
export const anybody: Judged = { why: null, uid: null };

/** For the portal. An unknown peer is refused. */
export function createPeerJudge(): (socket: Socket) => Promise<Judged> {
  const own = { pid: process.pid, uid: process.getuid?.() ?? 0 };
  return async (socket) => {
    try {
      const peer = await askPeer(socket);
      return { why: judgePeer(peer, own), uid: peer?.uid ?? null };
    } catch (error) {
      return { why: (error as Error).message, uid: null };
    }
  };
}
