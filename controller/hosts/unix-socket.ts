/** Unix sockets on this machine, with the errors that a person can act on. */
import { once } from 'node:events';
import net from 'node:net';
import { type Clock, withDeadline } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';

/**
 * Rejects SOCKET_PATH_TOO_LONG before the kernel truncates the path, SERVER_UNREACHABLE when nothing listens. `paused`: no byte is read, so
 * that the socket can be handed to another process.
 */
export async function dialSocket(socketPath: string, clock: Clock, paused = false): Promise<net.Socket> {
  checkSocketPath(socketPath);
  const socket = net.connect({ path: socketPath });
  if (paused) socket.pause();
  const connected = once(socket, 'connect');
  try {
    const late = (): SvcError => new SvcError('TIMEOUT', `${socketPath} did not take the connection within ${limits.dialMsMax / 1_000} s`);
    await withDeadline(clock, limits.dialMsMax, connected, late);
    return socket;
  } catch (error) {
    socket.destroy();
    if (error instanceof SvcError) throw error;
    throw new SvcError(
      'SERVER_UNREACHABLE',
      `nothing listens on ${socketPath} (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
      {},
      { cause: error },
    );
  }
}

/** Source: sharedLimits.socketPathBytesMax; the kernel takes 108 bytes with the closing NUL. */
export function checkSocketPath(socketPath: string): void {
  const bytes = Buffer.byteLength(socketPath);
  if (bytes <= sharedLimits.socketPathBytesMax) return;
  throw new SvcError(
    'SOCKET_PATH_TOO_LONG',
    `${socketPath} has ${bytes} bytes, a unix socket takes ${sharedLimits.socketPathBytesMax}: choose a shorter prefix for the server (Server.spec.local.prefix), or a shorter --state`,
  );
}
