/**
 * The life of one backend as the portal sees it (table of spec 3.3). Data only: reconcilers/backend.ts names what it sees by one of
 * these events and gets the next state, the time since when, and the effect `changed` back. Observation is level-triggered, so every
 * event is legal in every state (a missed edge must not wedge anything); what the chart guarantees is that no state is entered without
 * a reason, that losing sight keeps the last known state, and that `since` moves exactly when the state does.
 */
import { assign, setup } from 'xstate';
import type { BackendState, Reason } from '../schema/backend.ts';

export interface BackendContext {
  readonly reason: Reason;
  readonly sinceMs: number;
  /** Last state that was really observed; shown in the message while the state is `unknown`. */
  readonly last: { readonly state: Exclude<BackendState, 'unknown'>; readonly reason: Reason } | null;
}

interface Seen {
  readonly reason: Reason;
  readonly nowMs: number;
}
export type BackendEvent =
  | ({ readonly type: 'ended' } & Seen)
  | ({ readonly type: 'startRequested' } & Seen)
  | ({ readonly type: 'probeReady' } & Seen)
  | ({ readonly type: 'stopRequested' } & Seen)
  | ({ readonly type: 'processDied' } & Seen)
  | ({ readonly type: 'failuresExhausted' } & Seen)
  | ({ readonly type: 'sightLost' } & Seen);

/** Which event says that a backend was seen in a state. */
export const eventOfState: Readonly<Record<BackendState, BackendEvent['type']>> = {
  stopped: 'ended',
  starting: 'startRequested',
  running: 'probeReady',
  stopping: 'stopRequested',
  backoff: 'processDied',
  failed: 'failuresExhausted',
  unknown: 'sightLost',
};

type Known = { readonly state: Exclude<BackendState, 'unknown'> };

export const backendMachine = setup({
  types: { context: {} as BackendContext, events: {} as BackendEvent },
  actions: {
    enter: assign(({ event }, known: Known) => ({
      reason: event.reason,
      sinceMs: event.nowMs,
      last: { state: known.state, reason: event.reason },
    })),
    /** The same state goes on for a newer reason. */
    explain: assign(({ event }, known: Known) => ({ reason: event.reason, last: { state: known.state, reason: event.reason } })),
    loseSight: assign(({ event }) => ({ reason: event.reason, sinceMs: event.nowMs })),
    stayBlind: assign(({ event }) => ({ reason: event.reason })),
  },
}).createMachine({
  id: 'backend',
  context: { reason: 'NotObservedYet', sinceMs: 0, last: null },
  initial: 'unknown',
  // Source: spec 3.3, column "next state".
  on: {
    ended: { target: '.stopped', actions: { type: 'enter', params: { state: 'stopped' } } },
    startRequested: { target: '.starting', actions: { type: 'enter', params: { state: 'starting' } } },
    probeReady: { target: '.running', actions: { type: 'enter', params: { state: 'running' } } },
    stopRequested: { target: '.stopping', actions: { type: 'enter', params: { state: 'stopping' } } },
    processDied: { target: '.backoff', actions: { type: 'enter', params: { state: 'backoff' } } },
    failuresExhausted: { target: '.failed', actions: { type: 'enter', params: { state: 'failed' } } },
    sightLost: { target: '.unknown', actions: 'loseSight' },
  },
  states: {
    stopped: { on: { ended: { actions: { type: 'explain', params: { state: 'stopped' } } } } },
    // Source: spec 3.3 row 3: the attempts run out and the app stays starting, with another reason.
    starting: { on: { startRequested: { actions: { type: 'explain', params: { state: 'starting' } } } } },
    running: { on: { probeReady: { actions: { type: 'explain', params: { state: 'running' } } } } },
    stopping: { on: { stopRequested: { actions: { type: 'explain', params: { state: 'stopping' } } } } },
    backoff: { on: { processDied: { actions: { type: 'explain', params: { state: 'backoff' } } } } },
    failed: { on: { failuresExhausted: { actions: { type: 'explain', params: { state: 'failed' } } } } },
    // Source: design 3 rule 6. `last` stays untouched.
    unknown: { on: { sightLost: { actions: 'stayBlind' } } },
  },
});
