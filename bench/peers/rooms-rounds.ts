/**
 * A round of a scenario: every server with a load of its own, and the loads take turns (rooms-turns.ts). Servers are on CPU 0, loads on CPU
 * 1; a resting server has its clients connected and does nothing.
 */
import type { Profiling } from '../profile.ts';
import type { ScenarioName } from './rooms-load.ts';
import { rssKb, untilQuiet, type LoadResult } from './rooms-measure.ts';
import { roomServers, startLoad, type LoadRun, type RoomServer, type RoomServerName } from './rooms-servers.ts';
import { turnLine } from './rooms-turns.ts';

export interface RoundOf {
  readonly name: ScenarioName;
  /** That it opens, from 0 on. */
  readonly rooms: number;
  readonly seconds: number;
  readonly slices: number;
}

/** A profile of ours in the slices of that name. */
export interface Profiled {
  readonly slice: string;
  readonly profiling: Profiling;
}

export interface TurnTaker {
  readonly load: LoadRun;
  /** Last line of the load: a turn that it waits for, or its result. */
  line: string;
}

interface Runner extends TurnTaker {
  readonly name: RoomServerName;
  readonly server: RoomServer;
}

const isWaiting = ({ line }: TurnTaker): boolean => line.startsWith(turnLine(''));

/** A server that breaks under the load is a finding, not the end of the benchmark. */
export const broken = (error: unknown): string =>
  JSON.stringify({
    figures: {},
    problems: [error instanceof Error ? error.message.slice(0, 300) : String(error)],
  } satisfies LoadResult);

async function startRunner(name: RoomServerName, order: RoundOf, looked: boolean): Promise<Runner> {
  const server = await roomServers[name](looked, order.rooms);
  const load = startLoad({
    scenario: order.name,
    facts: server.facts,
    work: { pids: [server.pid], store: null },
    seconds: order.seconds,
    slices: order.slices,
  });
  return { name, server, load, line: await load.line().catch(broken) };
}

export async function inTurns(
  names: readonly RoomServerName[],
  order: RoundOf,
  profiled: Profiled | null,
): Promise<ReadonlyMap<RoomServerName, LoadResult>> {
  const runners: Runner[] = [];
  try {
    const started = await Promise.allSettled(names.map((name) => startRunner(name, order, profiled !== null && name === 'ours')));
    runners.push(...started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
    for (const one of started) if (one.status === 'rejected') throw one.reason;
    await takeTurns(runners, (runner) => giveTurn(runner, profiled));
    return new Map(runners.map(({ name, line }) => [name, JSON.parse(line) as LoadResult]));
  } finally {
    for (const { load, server } of runners) {
      await load.stop();
      await server.stop();
    }
  }
}

/** Gives turns until each has its result. The first of a cycle is the last of the next. */
export async function takeTurns<One extends TurnTaker>(takers: readonly One[], give: (taker: One) => Promise<void>): Promise<void> {
  for (let cycle = 0; takers.some(isWaiting); cycle += 1) {
    for (const taker of cycle % 2 === 0 ? takers : takers.toReversed()) {
      if (isWaiting(taker)) await give(taker);
    }
  }
}

/** Gives this load a turn, until its next line. */
export async function goOn(taker: TurnTaker): Promise<void> {
  taker.load.next();
  taker.line = await taker.load.line().catch(broken);
}

async function giveTurn(runner: Runner, profiled: Profiled | null): Promise<void> {
  const { server } = runner;
  const isProfiled = profiled !== null && runner.name === 'ours' && runner.line === turnLine(profiled.slice);
  if (isProfiled) await profiled.profiling.begin(await server.inspected());
  await goOn(runner);
  if (isProfiled) await profiled.profiling.end(await server.inspected());
}

/** The memory of a server is that of a machine on which it is alone: no turns. */
export async function oneAfterTheOther(names: readonly RoomServerName[], order: RoundOf): Promise<ReadonlyMap<RoomServerName, LoadResult>> {
  const results = new Map<RoomServerName, LoadResult>();
  for (const name of names) {
    const runner = await startRunner(name, order, true);
    try {
      results.set(name, await memoryRun(runner).catch((error: unknown) => JSON.parse(broken(error)) as LoadResult));
    } finally {
      await runner.load.stop();
      await runner.server.stop();
    }
  }
  return results;
}

/** Reads the memory while the load waits. */
async function memoryRun({ server, load, line }: Runner): Promise<LoadResult> {
  if (!line.startsWith(turnLine(''))) return JSON.parse(line) as LoadResult;
  await untilQuiet(server.pid, 10_000);
  const inspected = await server.inspected();
  const heapBefore = await inspected.heapBytes();
  const rssBefore = rssKb(server.pid);
  load.next();
  await load.line();
  await untilQuiet(server.pid, 15_000);
  const rssOpen = rssKb(server.pid);
  load.next();
  const { figures, problems } = JSON.parse(await load.line()) as LoadResult;
  await untilQuiet(server.pid, 15_000);
  const rssAfter = rssKb(server.pid);
  const heapAfter = await inspected.heapBytes();
  return {
    figures: { ...figures, rssKbPerRoom: (rssOpen - rssBefore) / figures['rooms']!, rssBefore, rssOpen, rssAfter, heapBefore, heapAfter },
    problems,
  };
}
