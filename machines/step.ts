/**
 * Steps of a machine as a pure function of values. XState's own `transition` builds an actor with its system for each call, ten times
 * what the step itself costs; here one that never runs is built per machine. Decision: docs/decisions/0178-machines-that-drive.md
 */
import { createActor, type AnyActorScope, type AnyStateMachine, type ContextFrom, type EventFromLogic, type SnapshotFrom } from 'xstate';
import { effectsOf, type EffectOf } from './effects.ts';

export interface Stepped<Machine extends AnyStateMachine> {
  readonly value: SnapshotFrom<Machine>['value'];
  readonly context: ContextFrom<Machine>;
  /** To be carried out in this order. */
  readonly effects: readonly EffectOf<Machine>[];
}

/** Takes the events one after the other, and says where the machine is after all that were given so far. */
export type Steps<Machine extends AnyStateMachine> = (events: readonly EventFromLogic<Machine>[]) => Stepped<Machine>;

/** An event that means nothing in a state changes nothing. The machines of this folder invoke and spawn nothing. */
export function stepsOf<Machine extends AnyStateMachine>(
  machine: Machine,
): (value: SnapshotFrom<Machine>['value'], context: ContextFrom<Machine>) => Steps<Machine> {
  const self = createActor(machine);
  return (value, context) => {
    const actions: Parameters<AnyActorScope['actionExecutor']>[0][] = [];
    const scope: AnyActorScope = {
      self,
      id: '',
      sessionId: '',
      system: self.system,
      logger: nothing,
      defer: nothing,
      emit: nothing,
      stopChild: nothing,
      actionExecutor: (action) => {
        actions.push(action);
      },
    };
    let snapshot = machine.resolveState({ value, context });
    return (events) => {
      for (const event of events) snapshot = machine.transition(snapshot, event, scope);
      return { value: snapshot.value, context: snapshot.context, effects: effectsOf<Machine>(actions) };
    };
  };
}

function nothing(): void {}
