/** The servers of the rooms benchmark, each a process of its own on CPU 0, and the load on CPU 1. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';
import { inspect, inspectable, type Inspected } from '../inspected.ts';
import { startOurRooms } from './our-rooms.ts';
import { freePort, node, stopChild, taskset } from './proxy-servers.ts';
import type { ServerFacts } from './rooms-access.ts';
import type { LoadOrder } from './rooms-load.ts';

export interface RoomServer {
  readonly pid: number;
  readonly facts: ServerFacts;
  /** Only of one that was started to be inspected. */
  inspected(): Promise<Inspected>;
  stop(): Promise<void>;
}

/** `looked`: it can be inspected, by its environment; else it is started as it ships. */
type Start = (looked: boolean, rooms: number) => Promise<RoomServer>;

export interface Pinned {
  readonly child: ChildProcess;
  readonly lines: Interface;
  line(): Promise<string>;
}

/** Deadline of a load's turn, and of a server's start; both usually end long before. */
const lineMsMax = 300_000;

export function startPinned(cpu: 0 | 1, argv: readonly string[], env: Readonly<Record<string, string>>): Pinned {
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
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(
        () => late.reject(new Error(`${argv.join(' ').slice(0, 200)} said nothing for ${lineMsMax} ms: ${noise}`)),
        lineMsMax,
      );
      const { value, done } = await Promise.race([iterator.next(), late.promise]).finally(() => clearTimeout(timer));
      if (done) throw new Error(`${argv.join(' ').slice(0, 200)} ended: ${noise}`);
      return value;
    },
  };
}

function serverOf({ child }: Pick<Pinned, 'child'>, facts: ServerFacts, clear: () => Promise<void>): RoomServer {
  let inspected: Promise<Inspected> | null = null;
  return {
    pid: child.pid!,
    facts,
    inspected: () => (inspected ??= inspect(child)),
    stop: async () => {
      await stopChild(child);
      await clear();
    },
  };
}

export const envOf = (looked: boolean): Readonly<Record<string, string>> => (looked ? inspectable : {});

const peer =
  (file: string): Start =>
  async (looked) => {
    const pinned = startPinned(0, [node, `bench/peers/${file}`, String(await freePort())], envOf(looked));
    return serverOf(pinned, JSON.parse(await pinned.line()) as ServerFacts, async () => {});
  };

export async function startOurs(looked: boolean, rooms: number): Promise<RoomServer> {
  const start = (argv: readonly string[]): ChildProcess => startPinned(0, argv, envOf(looked)).child;
  const { child, facts, clear } = await startOurRooms({ port: await freePort(), rooms, start });
  return serverOf({ child }, facts, clear);
}

export const roomServers = {
  ours: startOurs,
  hocuspocus: peer('rooms-hocuspocus.ts'),
  'y-websocket-server': peer('rooms-y-websocket.ts'),
  ws: peer('rooms-broadcast.ts'),
} satisfies Readonly<Record<string, Start>>;

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
