/** How `svc dev` is asked to end: once in order, a second time without waiting for the backends, a third time alone. */
import { limits } from './limits.ts';

export interface Endings {
  readonly signals: { on(name: NodeJS.Signals, run: () => void): unknown };
  readonly nowMs: () => number;
  /** Stops waiting for the backends. */
  readonly endNow: () => void;
  readonly leave: () => void;
}

/** Resolves at the first one. A closed stdout or stderr is an end too, and in order. */
export function untilSignal({ signals, nowMs, endNow, leave }: Endings): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.removeAllListeners('error').on('error', () => resolve());
    process.stderr.on('error', () => resolve());
    let asked = 0;
    let firstMs = 0;
    const onSignal = (isKey: boolean): void => {
      // A terminal and a package runner send the same one twice.
      if (asked > 0 && nowMs() - firstMs < limits.sameSignalMs) return;
      asked += 1;
      if (asked === 1) {
        firstMs = nowMs();
        resolve();
      } else if (asked === 2) endNow();
      else if (isKey) leave();
    };
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) signals.on(signal, () => onSignal(signal === 'SIGINT'));
  });
}
