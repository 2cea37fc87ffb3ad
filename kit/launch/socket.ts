/** Step 3: who answers at the address (rules 3.1). A file-type test alone proves nothing, so it is a connection. */
import { connect } from 'node:net';
import { lstatSync } from 'node:fs';
import { limits } from '../../schema/limits.ts';
import { errorCode } from '../../schema/system-error.ts';
import { isMissing } from '../atomic-file.ts';
import { LaunchRefused } from './refusal.ts';

export type SocketState = 'absent' | 'answers' | 'orphan';

export function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes > limits.socketPathBytesMax) {
    throw new LaunchRefused(
      'SocketPathTooLong',
      `the socket path ${path} has ${bytes} bytes, a unix socket takes ${limits.socketPathBytesMax}: every app id fits below a home of at most ${limits.accountHomeBytesMax}`,
    );
  }
}

/** The kind of file at the path: nothing, a socket, or something else, which is never deleted. */
export function fileAt(path: string): 'absent' | 'socket' | 'other' {
  try {
    return lstatSync(path).isSocket() ? 'socket' : 'other';
  } catch (error) {
    if (isMissing(error)) return 'absent';
    throw error;
  }
}

/**
 * Throws SocketRefused when something that is no socket, or a socket we may not use, is in the way; any other error says nothing about the socket
 * (EMFILE and ENOMEM are of the one who asks).
 */
export async function probeSocket(path: string, connectTo = connectCode): Promise<SocketState> {
  const file = fileAt(path);
  if (file === 'absent') return 'absent';
  if (file === 'other') throw new LaunchRefused('SocketRefused', `${path} is not a socket; it is left alone: move it away`);
  const code = await connectTo(path);
  if (code === '') return 'answers';
  if (code === 'ECONNREFUSED') return 'orphan';
  if (code === 'ENOENT') return 'absent';
  // EAGAIN: the backlog is full, so a process listens.
  if (code === 'EAGAIN' || code === 'ETIMEDOUT') return 'answers';
  if (refusals.has(code)) throw new LaunchRefused('SocketRefused', `${path} can't be used: ${code}`);
  throw new Error(`${path} can't be asked: ${code}`);
}

const refusals: ReadonlySet<string> = new Set(['EACCES', 'EPERM', 'ENOTSOCK', 'EPROTOTYPE', 'ELOOP', 'ENOTDIR']);

function connectCode(path: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const done = (code: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(code);
    };
    const timer = setTimeout(() => done('ETIMEDOUT'), limits.probeTimeoutMs);
    socket.once('connect', () => done(''));
    socket.once('error', (error) => done(errorCode(error) || 'EIO'));
  });
}
