/** Parts that every step of a run of `svc dev` needs. */
import type { Backends } from './backends.ts';
import type { Board } from './board.ts';
import type { Builder } from './builder.ts';
import type { Delivery } from './delivery.ts';
import type { DevOptions } from './options.ts';
import type { DevPortal } from './portal.ts';
import type { Terminal } from './terminal.ts';
import type { Say } from './words.ts';

export interface Session {
  readonly options: DevOptions;
  readonly people: readonly string[];
  readonly say: Say;
  readonly board: Board;
  readonly terminal: Terminal;
  readonly app: string;
  readonly portal: DevPortal;
  readonly backends: Backends;
  readonly delivery: Delivery;
  readonly builder: Builder;
  /** A backend that is waited for beside the next change; ended by the one that concerns it. */
  readonly late: { wait: AbortController };
}
