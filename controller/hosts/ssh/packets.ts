/**
 * Cheaper packets for ssh2, which opens each by itself. As they are, three quarters of what a big answer costs the portal go into this:
 * to tell a key in a Buffer from a KeyObject Node throws and catches two errors, for every packet of 32 KB; and a socket is read
 * 64 KB at a time, each time into new memory. Decision: docs/decisions/0105-cheaper-packets.md
 */
import { createSecretKey } from 'node:crypto';
import type net from 'node:net';
import type { Client } from 'ssh2';
import { limits } from '../../../schema/limits.ts';

/** Of all connections: what is read is opened before the next read begins, and opening copies it. */
const readBuffer = Buffer.allocUnsafeSlow(limits.sshReadBufferBytes);

export interface PacketReads {
  /** For the options of `net.connect`. */
  readonly onread: net.OnReadOpts;
  /** Before the handshake. */
  attach(socket: net.Socket, client: Client): void;
}

export function packetReads(): PacketReads {
  let emit: (chunk: Buffer) => void = () => undefined;
  let cheap = false;
  return {
    onread: {
      buffer: readBuffer,
      callback: (bytes) => {
        const chunk = readBuffer.subarray(0, bytes);
        // Other ciphers, and the handshake, keep parts of what they are given.
        emit(cheap ? chunk : Buffer.from(chunk));
        return true;
      },
    },
    attach: (socket, client) => {
      emit = (chunk) => socket.emit('data', chunk);
      // Also after each change of keys.
      client.on('handshake', () => {
        useKeyObject(client, '_cipher', '_encKey');
        cheap = useKeyObject(client, '_decipher', '_decipherKey');
      });
    },
  };
}

/** What ssh2 1.17 has under these names when it speaks AES-GCM by means of Node alone; with any other cipher they are not there. */
function useKeyObject(client: Client, direction: string, name: string): boolean {
  const protocol = (client as unknown as Fields)['_protocol'] as Fields | undefined;
  const end = protocol?.[direction] as Fields | undefined;
  const key = end?.[name];
  if (end === undefined || !Buffer.isBuffer(key)) return false;
  end[name] = createSecretKey(key);
  return true;
}

type Fields = Record<string, unknown>;
