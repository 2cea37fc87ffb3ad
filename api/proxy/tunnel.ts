/**
 * A connection after `101 Switching Protocols`: bytes both ways, nothing read into them. Each direction holds at most what its
 * reader has not taken; each side may end alone (half-open), but not for ever.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';
import type { Connection } from './connection.ts';

export interface Tunnel {
  /** Ends both sides at once. */
  destroy(): void;
}

const nothing = Buffer.alloc(0);

/** Takes over both ends. `closed` is called once, when both are gone. */
export function runTunnel(client: Duplex, connection: Connection, clock: Clock, closed: () => void): Tunnel {
  const backend = connection.stream;
  let over = false;
  let clientEnded = false;
  let backendEnded = false;
  let cancelHalfOpen: (() => void) | null = null;

  const finish = (): void => {
    if (over) return;
    over = true;
    cancelHalfOpen?.();
    connection.destroy();
    client.destroy();
    closed();
  };
  const halfOpen = (): void => {
    if (clientEnded && backendEnded) {
      // Both `end()` calls are under way: the streams destroy themselves once the last bytes have left.
      client.once('close', finish);
      return;
    }
    cancelHalfOpen = clock.at(clock.monotonicMs() + limits.proxyHalfOpenMsMax, finish);
  };

  connection.user = {
    data: (chunk) => {
      client.write(chunk);
      if (client.writableLength === 0) return;
      // The kernel did not accept everything: the read buffer is in use until it did, which the callback of an empty write signals.
      connection.pause();
      client.write(nothing, resumeBackend);
    },
    ended: () => {
      backendEnded = true;
      client.end();
      halfOpen();
    },
    closed: finish,
    drained: () => client.resume(),
    // Nothing is due in a tunnel.
    deadlinePassed: () => {},
    doubted: () => {},
  };
  const resumeBackend = (): void => {
    if (!over && client.writableLength === 0) connection.resume();
  };
  client.on('data', (chunk: Buffer) => {
    if (!backend.write(chunk)) client.pause();
  });
  client.on('end', () => {
    clientEnded = true;
    backend.end();
    halfOpen();
  });
  client.on('error', finish);
  client.on('close', finish);
  client.resume();
  return { destroy: finish };
}
