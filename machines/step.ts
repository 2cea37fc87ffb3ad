/**
 * Steps of a machine as a pure function of values: the one interpreter of the definitions, on servers and in pages. It reads what XState made of a
 * definition, with XState's own guards. The machines of this folder have states within and beside states, guards, assignments and effects: no
 * entry or exit, no `always` or `after`, and nothing that runs. Decision: docs/decisions/0444-one-interpreter.md
 */
import type { AnyStateMachine, AnyStateNode, AnyTransitionDefinition, ContextFrom, EventFromLogic, SnapshotFrom, StateValue } from 'xstate';
import { evaluateGuard } from 'xstate/guards';
import type { EffectOf } from './effects.ts';

export interface Stepped<Machine extends AnyStateMachine> {
  readonly value: SnapshotFrom<Machine>['value'];
  readonly context: ContextFrom<Machine>;
  /** To be carried out in this order. */
  readonly effects: readonly EffectOf<Machine>[];
}

/** Takes the events one after the other, and says where the machine is after all that were given so far. */
export type Steps<Machine extends AnyStateMachine> = (events: readonly EventFromLogic<Machine>[]) => Stepped<Machine>;

type Args = { readonly context: object; readonly event: { readonly type: string } };
type Given = ((args: Args) => unknown) | object | undefined;
type Action = string | { readonly type: string; readonly params?: Given; readonly assignment?: Given };

/** An event that means nothing in a state changes nothing. */
export function stepsOf<Machine extends AnyStateMachine>(
  machine: Machine,
): (value: SnapshotFrom<Machine>['value'], context: ContextFrom<Machine>) => Steps<Machine> {
  return (from, known) => {
    let value: StateValue = from;
    let context: object = known;
    const effects: object[] = [];
    const act = (action: Action, event: Args['event']): void => {
      const { type, params, assignment } = typeof action === 'string' ? { type: action } : action;
      const given = (of: Given = {}): object => (typeof of === 'function' ? (of as (args: Args) => object)({ context, event }) : of);
      if (assignment === undefined) effects.push({ kind: type, ...given(params) });
      else context = { ...context, ...given(assignment) };
    };
    return (events) => {
      for (const event of events) {
        const args = { context, event };
        const holds = ({ guard }: AnyTransitionDefinition): boolean => guard === undefined || isMet(machine, guard, value, args);
        for (const { target, actions } of enabled(machine.root, value, event.type, holds)) {
          for (const node of target ?? []) value = moved(machine.root, value, node.path);
          for (const action of actions) act(action as Action, event);
        }
      }
      // The values are those of the machine, and the effects those that `setup` declared.
      return { value, context, effects } as unknown as Stepped<Machine>;
    };
  };
}

function isMet(machine: AnyStateMachine, guard: AnyTransitionDefinition['guard'], value: StateValue, { context, event }: Args): boolean {
  const named: unknown = typeof guard === 'string' ? machine.implementations.guards[guard] : null;
  if (typeof named === 'function') return (named as (args: Args) => boolean)({ context, event });
  return evaluateGuard(guard as never, context, event, machine.resolveState({ value, context }));
}

/** The transitions that the event takes: in each region that of the innermost state which has one. */
function enabled(
  node: AnyStateNode,
  value: StateValue | undefined,
  type: string,
  holds: (transition: AnyTransitionDefinition) => boolean,
): readonly AnyTransitionDefinition[] {
  const below: Readonly<Record<string, StateValue | undefined>> = typeof value === 'string' ? { [value]: undefined } : (value ?? {});
  const inner = Object.keys(below).flatMap((name) => enabled(node.states[name]!, below[name], type, holds));
  if (inner.length > 0) return inner;
  const own = node.transitions.get(type)?.find(holds);
  return own === undefined ? [] : [own];
}

/** The value with the state at `path` in place of what was active there. */
function moved(node: AnyStateNode, value: StateValue | undefined, path: readonly string[]): StateValue {
  const [name = node.config.initial as string, ...rest] = path;
  const child = node.states[name]!;
  if (Object.keys(child.states).length === 0) return name;
  const below = typeof value === 'object' ? value : {};
  return { ...(node.type === 'parallel' ? below : {}), [name]: moved(child, below[name], rest) };
}
