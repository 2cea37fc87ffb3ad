/**
 * Cheaper packets for ssh2, which opens each by itself. As they are, three quarters of what a big answer costs the portal go into this: to
 * tell a key in a Buffer from a KeyObject Node 24 throws and catches two errors, for every packet of 32 KB; and a socket is read 64 KB at a
 * time, each time into new memory outside V8's heap. So after each exchange of keys a KeyObject is put where ssh2 keeps the key of AES-GCM:
 * a field that is not public, looked for and left alone when it is not there; ssh2 is pinned to the very version, and
 * test/ssh/packets.real.test.ts fails when the field is gone. With that cipher nothing of what was read is kept, so one buffer serves all
 * connections; with others each read is copied. And packets of one turn of the loop are written together.
 *
 * Refused: another cipher (CTR needs a hash besides, ChaCha20 runs in WebAssembly), ssh2's native binding (a compiler on the portal's
 * machine), a bigger window (2 MB is never exhausted) or packet (sshd sends 32 KB at most). Measured: 134 MB through one process took 258
 * ms of CPU before and 110 to 120 after; 256 MB through a portal 220 to 310 ms (`ssh`: 240 to 330), its PSS afterwards 111 MB instead of
 * 158.
 */
import { createSecretKey } from 'node:crypto';
import type net from 'node:net';
import type { Client } from 'ssh2';
import { limits } from '../limits.ts';

/** Buffer of all connections: a read is decrypted before the next one begins, and decrypting copies it. */
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
      gather(socket);
      // Also after each change of keys.
      client.on('handshake', () => {
        useKeyObject(client, '_cipher', '_encKey');
        cheap = useKeyObject(client, '_decipher', '_decipherKey');
      });
    },
  };
}

/** ssh2 writes each packet by itself: those of one turn go to the kernel together. */
function gather(socket: net.Socket): void {
  const write: (data: Uint8Array) => boolean = socket.write.bind(socket);
  let isGathering = false;
  const writeGathered = (data: Uint8Array): boolean => {
    if (!isGathering) {
      isGathering = true;
      socket.cork();
      queueMicrotask(() => {
        isGathering = false;
        socket.uncork();
      });
    }
    return write(data);
  };
  socket.write = writeGathered;
}

/** Names of ssh2 1.17's fields when it speaks AES-GCM by means of Node alone; with any other cipher they are not there. */
function useKeyObject(client: Client, direction: string, name: string): boolean {
  const protocol = (client as unknown as Fields)['_protocol'] as Fields | undefined;
  const end = protocol?.[direction] as Fields | undefined;
  const key = end?.[name];
  if (end === undefined || !Buffer.isBuffer(key)) return false;
  end[name] = createSecretKey(key);
  return true;
}

type Fields = Record<string, unknown>;
