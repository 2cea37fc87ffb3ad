/** The servers of the rooms benchmark, each a process of its own on CPU 0, and the load on CPU 1. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { freePort, node, ourEnv, ourFlags, stopChild, taskset } from './proxy-servers.ts';
import type { ServerFacts } from './rooms-access.ts';
import type { LoadOrder } from './rooms-load.ts';

export interface RoomServer {
  readonly pid: number;
  readonly facts: ServerFacts;
  /** Living bytes after a collection; only of servers that answer it. */
  heapBytes(): Promise<number>;
  stop(): Promise<void>;
}

interface Pinned {
  readonly child: ChildProcess;
  readonly lines: Interface;
  line(): Promise<string>;
}

function startPinned(cpu: 0 | 1, argv: readonly string[], env: Readonly<Record<string, string>>): Pinned {
  const child = spawn(taskset, ['-c', String(cpu), ...argv], {
    stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, ...env },
  });
  let noise = '';
  child.stderr!.on('data', (chunk: Buffer) => (noise = (noise + chunk.toString()).slice(-4_096)));
  const lines = createInterface({ input: child.stdout! });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    child,
    lines,
    line: async () => {
      const { value, done } = await iterator.next();
      if (done) throw new Error(`${argv.join(' ').slice(0, 200)} ended: ${noise}`);
      return value;
    },
  };
}

async function started(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RoomServer> {
  const { child, line } = startPinned(0, argv, env);
  const facts = JSON.parse(await line()) as ServerFacts;
  return {
    pid: child.pid!,
    facts,
    heapBytes: () =>
      new Promise((resolve) => {
        child.once('message', (bytes) => resolve(bytes as number));
        child.send('heap');
      }),
    stop: () => stopChild(child),
  };
}

const peer = (file: string) => async (): Promise<RoomServer> =>
  started([node, '--expose-gc', `bench/peers/${file}`, String(await freePort())]);

export const roomServers = {
  ours: async () => started([node, ...ourFlags, 'bench/peers/our-rooms.ts', String(await freePort())], ourEnv),
  hocuspocus: peer('rooms-hocuspocus.ts'),
  'y-websocket-server': peer('rooms-y-websocket.ts'),
  ws: peer('rooms-broadcast.ts'),
} satisfies Readonly<Record<string, () => Promise<RoomServer>>>;

export type RoomServerName = keyof typeof roomServers;

/** A run of the load; `next` tells it to go on after the lines that it says in between. */
export interface LoadRun {
  line(): Promise<string>;
  next(): void;
  stop(): Promise<void>;
}

export function startLoad(order: LoadOrder): LoadRun {
  const { child, line } = startPinned(1, [node, '--max-semi-space-size=64', 'bench/peers/rooms-load.ts', JSON.stringify(order)], {});
  return { line, next: () => void child.stdin!.write('\n'), stop: () => stopChild(child) };
}
