/**
 * The room connections of the SDKs are driven by machines/interpreter.ts in place of XState: both have to take the same steps. The bundle here is made
 * as the build makes those of the SDKs.
 */
import { resolve } from 'node:path';
import { build } from 'esbuild';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import * as onXState from '../machines/room-connection.ts';
import type { RoomConnection, RoomEvent } from '../machines/room-connection.ts';
import { amount } from '../test/support/amount.ts';
import { roomParts } from './room-bundle.ts';

let inPage: typeof onXState;
let bundled: readonly string[];

beforeAll(async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [resolve(import.meta.dirname, '../machines/room-connection.ts')],
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    plugins: [...roomParts],
  });
  bundled = Object.keys(metafile.inputs);
  inPage = (await import(`data:text/javascript,${encodeURIComponent(outputFiles[0]!.text)}`)) as typeof onXState;
});

interface Picked {
  /** Which of the events below. */
  readonly kind: number;
  /** Number of the variant. */
  readonly variant: number;
  readonly passMs: number;
  readonly random: number;
}

const failures = ['passing', 'passing', 'forbidden', 'unknown'] as const;
const codes = [1006, 1013, 4403, 4410, 4413, 1009] as const;
const papeis = ['ver', 'editar', null] as const;

/** Events that lead on come more often, so that walks get to every state. */
function eventOf(at: RoomConnection, nowMs: number, { kind, variant }: Picked): RoomEvent {
  const attempt = variant % 16 === 15 ? at.attempt - 1 : at.attempt;
  const events: readonly RoomEvent[] = [
    { type: 'TICKET', attempt, bilhete: variant % 8 === 7 ? null : 'b', caminho: '/c', papel: papeis[variant % 3]! },
    { type: 'OPENED', attempt },
    { type: 'SYNCED', attempt },
    { type: 'TICK', heardAtMs: Math.max(0, nowMs - (variant % 5) * 12_000) },
    { type: 'TICKET_FAILED', attempt, failure: failures[variant % 4]!, retryAfterMs: [null, 0, 5_000, 1e9][variant % 4]! },
    { type: 'CLOSED', attempt, code: codes[variant % 6]! },
    { type: 'ROLE', papel: variant % 2 === 0 ? 'ver' : 'comentar' },
    { type: 'ONLINE' },
    { type: 'OFFLINE' },
    { type: 'LEAVE' },
  ];
  const next = { asking: 0, opening: 1, syncing: 2, synced: 3, waiting: 3 } as Readonly<Record<string, number>>;
  return events[kind < events.length ? kind : (next[at.phase] ?? 9)]!;
}

const sequences = amount(8_000, 20_000, 2_000);

describe('the driver of the page', () => {
  test(`takes the steps that XState takes, in ${sequences} sequences of events`, { timeout: 180_000 }, () => {
    const seen = new Set<string>();
    const step = fc.record({
      kind: fc.nat(19),
      variant: fc.nat(47),
      passMs: fc.constantFrom(0, 400, 3_000, 15_000, 31_000, 125_000),
      random: fc.constantFrom(0, 0.25, 0.999),
    });
    const walks = fc.array(step, { minLength: 1, maxLength: 14, size: 'max' });
    const walk = (steps: readonly Picked[]): void => {
      let { next } = onXState.enterRoom(0);
      let nowMs = 0;
      for (const picked of steps) {
        nowMs += picked.passMs;
        const event = eventOf(next, nowMs, picked);
        const now = { nowMs, random: picked.random };
        const wanted = onXState.advanceRoom(next, event, now);
        const got = inPage.advanceRoom(next, event, now);
        const [said, should] = [JSON.stringify(sorted(got)), JSON.stringify(sorted(wanted))];
        // By hand: `toEqual` on a million steps would take minutes.
        if (said !== should) throw new Error(`${JSON.stringify([next, event, now])}: ${said} instead of ${should}`);
        seen.add(`${next.phase} ${event.type} ${wanted.next.phase} ${wanted.effects.map(({ kind }) => kind).join()}`);
        ({ next } = wanted);
      }
    };
    fc.assert(fc.property(walks, walk), { numRuns: sequences });
    // Each row of docs/machines.md was gone through at least once.
    expect([...rows()].filter((row) => ![...seen].some((one) => one.startsWith(row)))).toEqual([]);
  });

  test('is in the bundle in place of XState', () => {
    expect(bundled.filter((path) => path.includes('machines/interpreter'))).toHaveLength(1);
    expect(bundled.filter((path) => path.includes('xstate'))).toEqual([]);
  });

  test('knows all that the machine uses of XState', () => {
    const { config } = onXState.roomConnectionMachine;
    const states = Object.entries(config.states ?? {});
    expect(Object.keys(config).toSorted()).toEqual(['context', 'id', 'initial', 'schemas', 'states']);
    for (const [, state] of states) expect(Object.keys(state).filter((key) => key !== 'on')).toEqual([]);
    for (const [event, row] of states.flatMap(([, { on }]) => Object.entries(on ?? {}) as [string, object][])) {
      expect(event).toMatch(/^[A-Z_]+$/);
      for (const one of [row].flat() as readonly Record<string, unknown>[]) {
        expect(Object.keys(one).filter((key) => !['guard', 'target', 'actions'].includes(key))).toEqual([]);
        expect([undefined, ...Object.keys(onXState.roomConnectionMachine.implementations.guards)]).toContain(one['guard']);
        expect([undefined, ...states.map(([name]) => name)]).toContain(one['target']);
        for (const action of one['actions'] as readonly (string | { readonly type: string; readonly [more: string]: unknown })[]) {
          if (typeof action === 'string') continue;
          const isAssign = action.type === 'xstate.assign' && typeof action['assignment'] === 'function';
          expect(isAssign || typeof action['params'] === 'function').toBe(true);
        }
      }
    }
  });
});

/** Fields in one order, whichever driver wrote them. */
const sorted = ({ next, effects }: onXState.Step): unknown => [Object.entries(next).toSorted(([a], [b]) => (a < b ? -1 : 1)), effects];

/** `state event next effects`, as far as the table of the machine says them. */
function* rows(): Generator<string> {
  for (const [state, { on }] of Object.entries(onXState.roomConnectionMachine.config.states ?? {}))
    for (const [event, row] of Object.entries((on ?? {}) as Record<string, object>))
      for (const one of [row].flat() as readonly { readonly target?: string; readonly actions: readonly unknown[] }[]) {
        const effects = one.actions
          .map((action) => (typeof action === 'string' ? action : (action as { readonly type: string }).type))
          .filter((name) => name !== 'xstate.assign');
        yield `${state} ${event} ${one.target ?? state} ${effects.join()}`;
      }
}
