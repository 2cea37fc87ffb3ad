/** The interpreter against XState's own `transition`, which costs ten times as much: generated events, and conditions that hold by chance. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { initialTransition, transition, type AnyStateMachine } from 'xstate';
import { backendMachine } from './backend.ts';
import { jobMachine } from './job.ts';
import { roomConnectionMachine } from './room-connection.ts';
import { stepsOf } from './step.ts';
import { supervisionMachine } from './supervision.ts';

test.for<readonly [string, AnyStateMachine, object]>([
  ['backend', backendMachine, { reason: 'Healthy', start: null, sent: null }],
  ['job', jobMachine, { attempts: 0, nextAtMs: 0, missingSinceMs: null, endedSinceMs: null }],
  ['room connection', roomConnectionMachine, { attempt: 1, failures: 0, deadlineMs: 0, syncedAtMs: null, probedAtMs: null }],
  ['supervision', supervisionMachine, { reason: 'Healthy', failures: 0, relaunch: false }],
])('%s: each step leads where XState leads, with the same effects', ([, given, context]) => {
  const names = Object.keys(given.implementations.guards);
  let holding: readonly string[] = [];
  const guards = Object.fromEntries(names.map((name) => [name, () => holding.includes(name)]));
  const machine: AnyStateMachine = given.provide({ guards } as never);
  const step = stepsOf(machine);
  const events = fc.record({ type: fc.constantFrom(...machine.events), holds: fc.subarray(names), number: fc.nat(9) });
  const property = fc.property(fc.array(events, { minLength: 20, maxLength: 40 }), (walk) => {
    let [at] = initialTransition(machine, context as never);
    for (const { type, holds, number } of walk) {
      holding = holds;
      const event = { type, reason: `reason ${number}`, nowMs: number, atMs: number, attempt: number, pid: number, listening: true };
      const [next, actions] = transition(machine, at, event);
      const effects = actions.map(({ type: kind, params }) => Object.assign({ kind }, params));
      expect(step(at.value as never, at.context as never)([event])).toEqual({ value: next.value, context: next.context, effects });
      at = next;
    }
  });
  fc.assert(property, { numRuns: 50 });
});
