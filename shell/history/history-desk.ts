/** Parts of the desktop that the dialogs of a room use. */
import type { Signal } from '../state/signal.ts';
import type { Shell } from '../windows/shell.ts';

export interface HistoryDesk extends Shell {
  /** The room that the history dialog is open for; set after loadHistory. */
  readonly historyOf: Signal<string | null>;
  /** How often the portal said that rooms changed. */
  readonly roomsChanged: Signal<number>;
}
