/** The error panel's view of an app's state: its title, the cause, the exit and which buttons make sense. Pure. Source: rules 3.2. */
import type { Reason } from '../../schema/backend.ts';
import type { ErrorCode } from '../../schema/errors.ts';
import { answering } from '../../schema/reasons/derived.ts';
import type { AppExit, StartAnswer } from '../../schema/wire/http.ts';
import type { AppView } from './contract.ts';

export interface PanelState {
  readonly name: string;
  readonly status: StartAnswer['status'];
  readonly ready: boolean;
  /** A reason of schema/backend.ts or a code of schema/errors.ts. */
  readonly reason: string;
  /** For engineers, in English: shown as a technical detail only. */
  readonly message: string;
  readonly wanted: boolean;
  readonly pinned: boolean;
  readonly escopo: AppView['escopo'];
  readonly lastExit: AppExit | null;
  readonly step: AppView['step'];
  readonly retryAfterMs: number;
  readonly log: string;
}

export const panelTitles = [
  'stopped',
  'starting',
  'running',
  'opening',
  'stopping',
  'crashedAgain',
  'notStartedYet',
  'crashed',
  'notStarted',
  'unknown',
] as const;
export type PanelTitle = (typeof panelTitles)[number];
export const panelButtons = ['iniciar', 'parar', 'deNovo'] as const;
export type PanelButton = (typeof panelButtons)[number];

export interface PanelFace {
  readonly title: PanelTitle;
  /** '' when there is nothing to explain. */
  readonly cause: string;
  readonly exit: Pick<AppExit, 'code' | 'signal'> | null;
  /** The first one is what helps most. */
  readonly buttons: readonly PanelButton[];
}

/** It answered before it ended: everything else kept it from starting. */
const endedWhileRunning: ReadonlySet<string> = new Set<Reason>(['Crashed', 'OutOfMemory']);

export function faceOf(state: PanelState): PanelFace {
  // The fault that this page met is over, or not known yet.
  if (state.status === 'running' && answering.some((reason) => reason === state.reason))
    return { title: 'opening', cause: '', exit: null, buttons: buttonsOf(state) };
  // Five failures in a row: of interest is what failed the last time. Source: rules 3.3, supervisor rule 4.
  const cause = state.reason === ('TooManyFailures' satisfies Reason) ? (state.lastExit?.reason ?? state.reason) : state.reason;
  const down = state.status === 'failed' || state.status === 'backoff';
  const exit = down && state.lastExit !== null && hasExit(state.lastExit) ? state.lastExit : null;
  return { title: titleOf(state, cause), cause, exit: exit && { code: exit.code, signal: exit.signal }, buttons: buttonsOf(state) };
}

const hasExit = ({ code, signal }: AppExit): boolean => code !== null || signal !== null;

function titleOf({ status }: PanelState, cause: string): PanelTitle {
  const ran = endedWhileRunning.has(cause);
  if (status === 'backoff') return ran ? 'crashedAgain' : 'notStartedYet';
  if (status === 'failed') return ran ? 'crashed' : 'notStarted';
  return status;
}

const firstButtons: { readonly [S in PanelState['status']]: readonly PanelButton[] } = {
  stopped: ['iniciar'],
  starting: [],
  running: ['deNovo'],
  stopping: [],
  backoff: ['iniciar'],
  failed: ['iniciar'],
  unknown: ['deNovo'],
};
const stoppable: ReadonlySet<PanelState['status']> = new Set(['starting', 'running', 'backoff']);

/** A start is refused: a Backend document decides, or the server is taken out of use. */
const decidedElsewhere: ReadonlySet<string> = new Set<Reason | ErrorCode>(['PinnedStopped', 'PINNED', 'Drained']);

/** Each button does something that the others don't, and nothing that is under way already or decided elsewhere. */
function buttonsOf({ status, reason, wanted, pinned, escopo }: PanelState): readonly PanelButton[] {
  // A single backend serves everybody, and the server keeps it. Source: rules 2.1 `escopo: servidor`.
  if (escopo === 'servidor' || decidedElsewhere.has(reason)) return ['deNovo'];
  return [...firstButtons[status], ...(stoppable.has(status) && wanted && !pinned ? (['parar'] as const) : [])];
}
