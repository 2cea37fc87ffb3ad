/** Question and answer between the portal and a thread: numbered requests, each answered once. */
import type { MessagePort, Transferable } from 'node:worker_threads';

export interface Asked<Request> {
  readonly id: number;
  readonly request: Request;
}

export type Answered =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly code: string | null; readonly message: string };

/** The thread's side. The first answer, number 0, says whether it could open what it works on. `answered` is called behind each of the others. */
export function answerRequests(port: MessagePort, open: () => (request: never) => unknown, answered = (): void => undefined): void {
  const answer = (id: number, work: () => unknown): boolean => {
    try {
      const value = work();
      port.postMessage({ id, ok: true, value } satisfies Answered, buffersIn(value));
      return true;
    } catch (error) {
      const { code, message } = error as { code?: unknown; message?: unknown };
      port.postMessage({ id, ok: false, code: typeof code === 'string' ? code : null, message: String(message) } satisfies Answered);
      return false;
    }
  };
  let handle: (request: never) => unknown = () => null;
  const opened = answer(0, () => {
    handle = open();
    return null;
  });
  if (!opened) return port.close();
  port.on('message', ({ id, request }: Asked<never>) => {
    answer(id, () => handle(request));
    if ((request as { readonly kind: string }).kind === 'close') port.close();
    else answered();
  });
}

/** Large ones are handed over instead of copied. */
function buffersIn(value: unknown): Transferable[] {
  if (typeof value !== 'object' || value === null) return [];
  const parts = Object.values(value).filter((part): part is Uint8Array => part instanceof Uint8Array);
  const whole = parts.filter(({ buffer, byteLength }) => byteLength > 0 && byteLength === buffer.byteLength);
  return [...new Set(whole.map(({ buffer }) => buffer as ArrayBuffer))];
}
