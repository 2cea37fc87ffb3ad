/** Progress of a long act of an administrator, as a stream of events. */
import { SvcError } from '../../schema/errors.ts';
import type { ServerActEvent } from '../../schema/gateway.ts';

export type Emit = (event: ServerActEvent) => void;
/** Answers what is said at its end. */
export type Run = (emit: Emit) => Promise<string>;

/** The events of an act as they happen; the act goes on when the reader is gone. */
export async function* eventsOf(run: Run, onEnd: () => void = () => undefined): AsyncGenerator<ServerActEvent> {
  const lines: ServerActEvent[] = [];
  let wake = (): void => undefined;
  let isOver = false;
  const emit = (event: ServerActEvent): void => {
    lines.push(event);
    wake();
  };
  const told = async (): Promise<void> => {
    try {
      emit({ event: 'done', text: await run(emit) });
    } catch (error) {
      emit({ event: 'error', code: error instanceof SvcError ? error.code : 'INTERNAL', text: (error as Error).message });
    } finally {
      isOver = true;
      onEnd();
      wake();
    }
  };
  const running = told();
  for (;;) {
    const next = lines.shift();
    if (next !== undefined) yield next;
    else if (isOver) break;
    else
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  await running;
}
