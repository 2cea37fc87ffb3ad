/**
 * No act is asked for again without a wait, whatever a kind decides (decision 0316): every kind of all.ts with every action there is, in worlds
 * in which all acts fail, or are done and change nothing, and in which each act wakes everything.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { array, assert, asyncProperty, boolean, constantFrom, integer, record } from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Action } from '../../reconcilers/actions.ts';
import type { Decision } from '../../reconcilers/decision.ts';
import { SvcError } from '../../schema/errors.ts';
import { createBus } from '../../store/bus.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { createSimulatedClock } from '../clock/simulated.ts';
import { memoryHost } from '../hosts/testing/memory-host.ts';
import { rereadFolder } from '../apply.ts';
import { createController, type Controller } from '../loop/loop.ts';
import type { Log } from '../work/record.ts';
import { doc } from '../views/testing/removal.ts';
import { amount } from '../../test/support/amount.ts';
import { allKinds } from './all.ts';
import type { Kind } from './kind.ts';

const minuteMs = 60_000;

interface World {
  readonly clock: ReturnType<typeof createSimulatedClock>;
  readonly store: Store;
  readonly controller: Controller;
  /** Since they were emptied. */
  readonly acts: { readonly name: string; readonly key: string }[];
  readonly lines: { readonly key: string; readonly message: string }[];
  /** A minute, in steps in which everything that is ready is done. */
  pass(): Promise<void>;
}

type Outcome = 'fails' | 'changes nothing' | 'real';

async function openWorld(documents: readonly string[], outcome: Outcome, kinds?: readonly Kind[], kept?: Store): Promise<World> {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'svc-acts-'));
  writeFileSync(path.join(dir, 'all.yaml'), documents.join('\n---\n'));
  const clock = createSimulatedClock(1_700_000_000_000);
  const store = kept ?? (await openSqliteStore(':memory:'));
  const acts: World['acts'] = [];
  const lines: World['lines'] = [];
  const line = (fields: object, message: string): void => void lines.push({ key: (fields as { key?: string }).key ?? '', message });
  const log: Log = { info: line, warn: line, error: line, debug: () => undefined };
  const away = () => Promise.reject(new SvcError('SERVER_UNREACHABLE', `nobody listens here, ${acts.length}`));
  const controller = await createController({
    shellVersion: '1.0.0',
    dir,
    store,
    bus: createBus(),
    clock,
    log,
    ...(kinds === undefined ? {} : { kinds }),
    createHost: ({ metadata }) => (metadata.name === 'longe' ? { ...memoryHost([]), installed: away } : memoryHost([])),
  });
  const { context } = controller;
  for (const [kind, act] of Object.entries(context.executors) as [Action['kind'], (action: never) => Promise<void>][])
    Object.assign(context.executors, {
      [kind]: async (action: Action) => {
        acts.push({ name: JSON.stringify(action), key: 'key' in action ? action.key : '' });
        if (acts.length > 10_000) throw new Error('acts without end');
        // A failed act wakes what it was for; here it wakes everything.
        for (const key of context.everyKey()) context.queue.add(key, true);
        if (outcome === 'real') await act(action as never);
        if (outcome === 'fails') throw new SvcError('SERVER_UNREACHABLE', `refused for the ${acts.length}th time`);
      },
    });
  onTestFinished(async () => {
    await controller.stop();
    if (kept === undefined) await store.close();
    rmSync(dir, { recursive: true, force: true });
  });
  const turns = async (count: number): Promise<void> => {
    for (let turn = 0; turn < count && acts.length <= 10_000; turn += 1) await new Promise(setImmediate);
  };
  await controller.prepare();
  await controller.start();
  await turns(20);
  return {
    clock,
    store,
    controller,
    acts,
    lines,
    pass: async () => {
      for (let step = 0; step < minuteMs / 250; step += 1) {
        clock.advance(250);
        await turns(4);
      }
    },
  };
}

const mostOf = (names: readonly string[]): number => {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return Math.max(0, ...counts.values());
};

interface Move {
  /** Index of one of the actions. */
  readonly action: number;
  readonly changesWish: boolean;
  readonly asksAnew: boolean;
  readonly state: string;
  readonly deadline: 'none' | 'over' | 'ahead';
}

const moves = array(
  record({
    action: integer({ min: 0, max: 200 }),
    changesWish: boolean(),
    asksAnew: boolean(),
    state: constantFrom('ready', 'failed', 'starting'),
    deadline: constantFrom('none', 'over', 'ahead'),
  }),
  { minLength: 1, maxLength: 6 },
);

/** The kind as the loop knows it, with one object, and decisions that ask for an act each time. */
function hostile(kind: Kind, script: readonly Move[], actionKinds: () => readonly string[]): Kind {
  let round = 0;
  const move = (): Move => script[round % script.length] as Move;
  const key = `${kind.name}/x`;
  return {
    name: kind.name,
    entries: () => [key],
    find: () => key,
    keyOf: () => key,
    lane: () => '',
    desired: () => ({ wish: script.some(({ changesWish }) => changesWish) ? round : 0 }),
    observed: () => ({ round }),
    decide: (_desired, _observed, _memory, nowMs): Decision<unknown> => {
      round += 1;
      const { action, asksAnew, state, deadline } = move();
      const names = actionKinds();
      const asked = { kind: names[action % names.length], key, ...(asksAnew ? { requestId: `r${round}` } : {}) } as unknown as Action;
      return {
        actions: [asked],
        state,
        reason: 'Provisioned',
        message: `round ${round}`,
        conditions: [],
        nextDeadlineMs: deadline === 'none' ? null : deadline === 'over' ? nowMs - 1 : nowMs + 10,
        memory: { round },
      };
    },
    memory: { version: 1, read: (value) => value },
    ...(kind.paces === undefined ? {} : { paces: kind.paces }),
    report: () => ({ generation: 0, details: {} }),
  };
}

test('whatever a kind decides, acts, lines and events are bounded', async () => {
  const world: { actionKinds: readonly string[] } = { actionKinds: ['object/forget'] };
  await assert(
    asyncProperty(moves, constantFrom<Outcome>('fails', 'changes nothing'), async (script, outcome) => {
      const kinds = allKinds.map((kind) => hostile(kind, script, () => world.actionKinds));
      const { controller, acts, lines, store, pass } = await openWorld([], outcome, kinds);
      world.actionKinds = Object.keys(controller.context.executors);
      for (let minute = 0; minute < 2; minute += 1) {
        acts.length = 0;
        lines.length = 0;
        const before = (await store.events({ limit: 100_000 })).length;
        await pass();
        for (const { name } of allKinds) {
          const own = acts.filter(({ key }) => key === `${name}/x`);
          expect(own.length).toBeGreaterThan(0);
          expect(own.length).toBeLessThanOrEqual(260);
          expect(mostOf(own.map((act) => act.name))).toBeLessThanOrEqual(125);
          expect(lines.filter(({ key }) => key === `${name}/x`).length).toBeLessThanOrEqual(125);
        }
        await controller.context.recorder.written();
        expect((await store.events({ limit: 100_000 })).length - before).toBeLessThanOrEqual(125 * allKinds.length);
      }
      await controller.stop();
    }),
    { numRuns: amount(3) },
  );
});

test('one and the same act waits twice as long each time, and no kind drops the wait', async () => {
  const script: readonly Move[] = [{ action: 0, changesWish: false, asksAnew: false, state: 'ready', deadline: 'over' }];
  for (const outcome of ['fails', 'changes nothing'] as const) {
    const { acts, pass, controller } = await openWorld(
      [],
      outcome,
      allKinds.map((kind) => hostile(kind, script, () => ['server/kit'])),
    );
    const counts: number[] = [];
    for (let minute = 0; minute < 3; minute += 1) {
      acts.length = 0;
      await pass();
      counts.push(mostOf(acts.map(({ key }) => key)));
    }
    expect(counts[0]).toBeLessThanOrEqual(8);
    expect(counts[2]).toBeLessThanOrEqual(2);
    expect(counts[2]).toBeGreaterThan(0);
    await controller.stop();
  }
});

const person = (name: string, server: string) => doc('Person', name, { nome: name, login: name, server });
const pack = (app: string) => doc('Package', app, { app, versao: '1.0.0', server: 'casa', instalacao: 'sistema' });
const staying = [
  pack('notas'),
  doc('Server', 'casa', { local: { prefix: 'casa', trusted: true } }),
  doc('Server', 'longe', { local: { prefix: 'longe', trusted: true } }),
  person('ana', 'casa'),
  person('cleo', 'longe'),
  person('davi', 'casa'),
  person('edu', 'casa'),
  doc('Backend', 'ana-notas', { app: 'notas', pessoa: 'ana', estado: 'ligado' }),
  doc('Grant', 'atas', { app: 'notas', sala: 'atas', dona: 'ana', pessoas: [{ usuario: 'davi', papel: 'ver' }] }),
];
const all = [...staying, person('bia', 'longe'), person('bob', 'casa'), pack('outra')];

test.for(['fails', 'changes nothing', 'real'] as const)(
  'people and packages that leave, and servers that do not answer: what is asked for is bounded, after a restart as well (acts: %s)',
  async (outcome) => {
    const store = await openSqliteStore(':memory:');
    onTestFinished(() => store.close());
    const first = await openWorld(all, 'real', undefined, store);
    await first.controller.stop();
    for (let run = 0; run < 2; run += 1) {
      const { controller, acts, lines, pass } = await openWorld(staying, outcome, undefined, store);
      await rereadFolder(controller.context, true);
      for (let minute = 0; minute < 2; minute += 1) {
        acts.length = lines.length = 0;
        await pass();
        expect(mostOf(acts.map(({ name }) => name))).toBeLessThanOrEqual(25);
        expect(mostOf(lines.map(({ key, message }) => `${key} ${message}`))).toBeLessThanOrEqual(60);
        expect(lines.length).toBeLessThanOrEqual(300);
        expect(acts.some(({ name }) => name.includes('"supervisor/ensure","person":"bia"'))).toBe(true);
      }
      await controller.stop();
    }
  },
);
