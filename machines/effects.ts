/** Effects of a machine, typed by the machine: an effect that is renamed in it no longer fits its executor. */
import type { AnyStateMachine, StateMachine } from 'xstate';

/** The fifth of XState's parameters is what `setup` was given as actions. */
type ActionOf<Machine> =
  Machine extends StateMachine<
    infer _1,
    infer _2,
    infer _3,
    infer _4,
    infer Action,
    infer _6,
    infer _7,
    infer _8,
    infer _9,
    infer _10,
    infer _11,
    infer _12,
    infer _13,
    infer _14,
    infer _15
  >
    ? Action
    : never;

/** `{ kind: 'probe', attempt }` for an action `probe` with the parameters `{ attempt }`. */
export type EffectOf<Machine extends AnyStateMachine> =
  ActionOf<Machine> extends infer Action
    ? Action extends { readonly type: infer Kind extends string; readonly params: infer Params }
      ? { readonly kind: Kind } & (Params extends Readonly<Record<string, unknown>> ? Params : unknown)
      : never
    : never;
