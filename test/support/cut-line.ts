/** A TCP line between the portal and a server that a test cuts, silences, or ends after so many bytes. */
import { once } from 'node:events';
import net from 'node:net';
import type { AddressInfo } from 'node:net';

export interface CutLine {
  readonly port: number;
  /** Resets all connections at once; new ones are taken unless `refuse`. */
  cut(): void;
  /** New connections are reset until called with false. */
  refuse(refused: boolean): void;
  /** Bytes stop, connections stay: nobody learns anything. */
  silence(silent: boolean): void;
  /** The next connections are cut when that many bytes passed them, both ways together; null: never. */
  cutAfter(bytes: number | null): void;
  /** Connections that were made so far. */
  count(): number;
  close(): Promise<void>;
}

interface Pair {
  readonly near: net.Socket;
  readonly far: net.Socket;
  /** Bytes that may still pass. */
  left: number;
}

interface Line {
  readonly pairs: Set<Pair>;
  readonly held: (() => void)[];
  silent: boolean;
}

export async function openCutLine(to: number): Promise<CutLine> {
  const line: Line = { pairs: new Set(), held: [], silent: false };
  let refused = false;
  let bytesMax: number | null = null;
  let made = 0;
  const server = net.createServer((near) => {
    made += 1;
    if (refused) near.resetAndDestroy();
    else join(line, near, to, bytesMax ?? Infinity);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      for (const pair of line.pairs) {
        pair.near.resetAndDestroy();
        end(line, pair);
      }
    },
    refuse: (now) => {
      refused = now;
    },
    silence: (now) => {
      line.silent = now;
      if (!now) for (const write of line.held.splice(0)) write();
    },
    cutAfter: (bytes) => {
      bytesMax = bytes;
    },
    count: () => made,
    close: async () => {
      for (const pair of line.pairs) end(line, pair);
      server.close();
      await once(server, 'close');
    },
  };
}

function join(line: Line, near: net.Socket, to: number, left: number): void {
  const far = net.connect({ host: '127.0.0.1', port: to, noDelay: true });
  near.setNoDelay(true);
  const pair: Pair = { near, far, left };
  line.pairs.add(pair);
  for (const [from, into] of [
    [near, far],
    [far, near],
  ] as const) {
    from.on('data', (chunk: Buffer) => pass(line, pair, into, chunk));
    from.on('end', () => into.end());
    from.on('error', () => end(line, pair));
    from.on('close', () => end(line, pair));
  }
}

function pass(line: Line, pair: Pair, into: net.Socket, chunk: Buffer): void {
  const part = chunk.subarray(0, Math.max(0, Math.min(chunk.length, pair.left)));
  pair.left -= chunk.length;
  const write = (): void => {
    if (!into.destroyed && part.length > 0) into.write(part);
    if (pair.left <= 0) end(line, pair);
  };
  if (line.silent) line.held.push(write);
  else write();
}

function end({ pairs }: Line, pair: Pair): void {
  pairs.delete(pair);
  pair.near.destroy();
  pair.far.destroy();
}
