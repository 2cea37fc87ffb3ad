/**
 * The cost of observing a world in which nothing happens: decideBackend alone, and a whole resync of the real loop (its queue, store, links
 * and inputs) over hosts in memory whose supervisors and apps answer over streams. CPU of this process, user and system; the peer is the
 * same loop over 1,000 objects, since the promise is that the cost grows no faster than the objects.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { duplexPair, type Duplex } from 'node:stream';
import { systemClock } from '../controller/clock/system.ts';
import { createBus } from '../store/bus.ts';
import type { Host } from '../controller/hosts/host.ts';
import { memoryHost, packagesInMemory } from '../controller/hosts/testing/memory-host.ts';
import { createController, type Controller } from '../controller/loop/loop.ts';
import type { Log } from '../controller/work/record.ts';
import { openSqliteStore } from '../store/sqlite.ts';
import type { StoredSession } from '../store/store.ts';
import { decideBackend } from '../reconcilers/backend.ts';
import { alive, answering, desired, observed } from '../reconcilers/backend-fixtures.ts';
import type { AppSnapshot } from '../schema/supervisor-lines.ts';
import { kitVersion, supervisorProtocolVersion } from '../schema/supervisor-protocol.ts';
import { inspectSelf } from './inspected.ts';
import { profilingOf, type Profiling } from './profile.ts';
import { median, percentile, percentilesOf, type Area, type Row } from './rows.ts';
import { sayStep } from './steps.ts';

const appsPerPerson = 10;

function cpuMs(since?: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1_000;
}

/** Microseconds of CPU for one decision that changes nothing, over as many distinct objects. */
export function decideCost(objects: number, rounds: number): readonly number[] {
  const worlds = Array.from({ length: objects }, (_, n) => {
    const want = desired({ person: `p${n}`, windows: { open: 1, zeroSinceMs: null } });
    const snapshot = alive({ process: { pid: 41, startTicks: 7, bootId: 'boot', startedAtMs: 900 + n, hash: 'hash-1' } });
    return { want, sees: observed(snapshot), memory: answering(want, snapshot) };
  });
  const runs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    for (const { want, sees, memory } of worlds) {
      const decision = decideBackend(want, sees, memory, 10_000 + round);
      if (decision.actions.length > 0 || decision.memory !== memory) throw new Error('a world in which nothing happens was changed');
    }
    runs.push((cpuMs(before) * 1_000) / objects);
  }
  return runs;
}

function snapshotOf(app: string, hash: string): AppSnapshot {
  const process = { pid: 4_000, startTicks: 7, bootId: 'boot', startedAtMs: 1_000, hash };
  return alive({ app, process, installed: { version: '1.0.0', hash, scope: 'sistema' }, requestId: 'r1' });
}

/** A server in memory: each account's supervisor is up, each app runs and answers 200. */
function answeringHost(): Host {
  const packages = packagesInMemory(appsPerPerson);
  const apps = packages.map(({ app, hash }) => snapshotOf(app, hash));
  return memoryHost(packages, async (account, socketPath) => {
    const [ours, theirs] = duplexPair();
    if (socketPath.endsWith('/supervisor.sock')) answerAsSupervisor(theirs, account, apps);
    else theirs.once('data', () => theirs.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'));
    theirs.on('error', () => undefined);
    return ours;
  });
}

function answerAsSupervisor(stream: Duplex, account: string, apps: readonly AppSnapshot[]): void {
  const replies: Readonly<Record<string, object>> = {
    hello: { protocol: supervisorProtocolVersion, version: kitVersion, pid: 1, bootId: 'boot', home: `/home/${account}`, outdated: false },
    subscribe: { apps },
    snapshot: { apps },
    token: { token: 'token' },
  };
  let rest = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { id, op } = JSON.parse(line) as { id: number; op: string };
      stream.write(`${JSON.stringify({ id, ok: true, ...replies[op] })}\n`);
    }
  });
}

async function until(what: string, holds: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 120_000;
  while (!holds()) {
    if (performance.now() > deadlineMs) throw new Error(`not within two minutes: ${what}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const silent = Object.fromEntries(['info', 'warn', 'error', 'debug'].map((level) => [level, () => undefined])) as unknown as Log;

function sessionOf(person: string): StoredSession {
  const [createdAtMs, expiresAtMs] = [Date.now(), Date.now() + 86_400_000];
  const how = { method: 'link', address: '', agent: '' } as const;
  return { tokenHash: person, person, admin: false, audience: 'portal', createdAtMs, expiresAtMs, seenAtMs: createdAtMs, ...how };
}

async function withLoop<Result>(objects: number, use: (controller: Controller) => Promise<Result>): Promise<Result> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-tick-'));
  const documents = ['apiVersion: svc/v1\nkind: Server\nmetadata: { name: casa }\nspec: { local: { prefix: casa, trusted: true } }\n'];
  for (let n = 0; n < objects / appsPerPerson; n += 1) {
    documents.push(
      `apiVersion: svc/v1\nkind: Person\nmetadata: { name: p${n} }\nspec: { nome: P, login: p${n}, server: casa, account: p${n} }\n`,
    );
  }
  writeFileSync(path.join(dir, 'all.yaml'), documents.join('---\n'));
  const store = await openSqliteStore(':memory:');
  // People who never signed in have no objects.
  for (let n = 0; n < objects / appsPerPerson; n += 1) await store.putSession(sessionOf(`p${n}`));
  const controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus: createBus(),
    clock: systemClock,
    log: silent,
    createHost: answeringHost,
  });
  try {
    await controller.prepare();
    await controller.start();
    const { entries, queue, recorder } = controller.context;
    await until(
      'every app runs',
      () => entries.backends.size === objects && [...entries.backends.values()].every((entry) => entry.decision?.state === 'running'),
    );
    await queue.idle();
    await recorder.written();
    return await use(controller);
  } finally {
    await controller.stop();
    await store.close();
    rmSync(dir, { recursive: true, force: true });
  }
}

export interface TickCost {
  readonly objects: number;
  /** CPU of one resync with everything that it enqueues and asks, of each round. */
  readonly resyncMs: readonly number[];
  /** CPU of the decision about every backend alone. */
  readonly tickMs: number;
}

export function tickCost(objects: number, rounds: number, profiling: Profiling | null = null): Promise<TickCost> {
  return withLoop(objects, async (controller) => {
    const resyncs: number[] = [];
    const ticks: number[] = [];
    const { entries, queue } = controller.context;
    const self = inspectSelf();
    await profiling?.begin(self);
    for (let round = 0; round < rounds; round += 1) {
      const heard = new Map([...entries.people.values()].map(({ link }) => [link, link.seenAtMs()]));
      const before = process.cpuUsage();
      await controller.resync();
      await queue.idle();
      // Each supervisor was asked whether it still answers; that belongs to the price.
      await until('every supervisor answered', () => [...heard].every(([link, atMs]) => link.seenAtMs() > atMs));
      resyncs.push(cpuMs(before));
      const beforeTick = process.cpuUsage();
      if (controller.tick() !== 0) throw new Error('something was due in a world in which nothing happens');
      ticks.push(cpuMs(beforeTick));
    }
    await profiling?.end(self);
    return { objects, resyncMs: resyncs, tickMs: median(ticks) };
  });
}

export const tickArea: Area = async ({ short }) => {
  const rounds = short ? 3 : 9;
  const decides = decideCost(10_000, rounds);
  const decideUs = median(decides);
  const rows: Row[] = [
    {
      name: 'one decision that changes nothing, among 10,000 objects',
      ours: `${decideUs.toFixed(2)} µs (p99 ${percentile(decides, 99).toFixed(2)})`,
      peer: '10 µs',
      ratio: `${(decideUs / 10).toFixed(2)}×`,
      target: '≤ 10 µs',
      held: decideUs <= 10,
    },
  ];
  const costs: TickCost[] = [];
  const profiling = profilingOf();
  for (const objects of [100, 1_000, 10_000]) {
    sayStep(`tick: ${objects} objects`);
    costs.push(await tickCost(objects, rounds, profiling));
  }
  profiling?.write(`The loop of the controller, ${rounds} resyncs each over 100, 1,000 and 10,000 objects in which nothing happens`);
  const base = median(costs.find(({ objects }) => objects === 1_000)?.resyncMs ?? []);
  for (const { objects, resyncMs, tickMs } of costs) {
    const linear = objects / 1_000;
    const large = objects === 10_000;
    const ours = median(resyncMs);
    rows.push({
      name: `no-op resync of the loop over ${objects.toLocaleString('en')} objects`,
      ours: `${ours.toFixed(1)} ms CPU (${percentilesOf(resyncMs, (value) => value.toFixed(1))}; of that, the look at each: ${tickMs.toFixed(1)} ms)`,
      peer: `${base.toFixed(1)} ms at 1,000`,
      ratio: `${(ours / base).toFixed(2)}×`,
      target: large ? '< 200 ms and ≤ 10×' : 'none: the base of the largest',
      held: large ? ours < 200 && ours <= linear * base : null,
    });
  }
  return rows;
};

if (import.meta.main) console.table(await tickArea({ short: process.argv.includes('--short') }));
