/** Requests of the page under way: each is answered, or degrades, or runs into its deadline. */
import { pageWaitMs, type AskedVerb } from '../../schema/bridge/verbs.ts';

export type Args = Readonly<Record<string, unknown>>;
/** Answer of a verb outside the shell; undefined: it rejects. */
export type Outside = (verbo: AskedVerb, args: Args) => unknown;

export interface Request {
  readonly id: number;
  readonly verbo: AskedVerb;
  readonly args: Args;
  readonly transfer: Transferable[];
}

interface Waiting extends Request {
  readonly resolve: (valor: unknown) => void;
  readonly reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export interface Answer {
  readonly id?: unknown;
  readonly ok?: unknown;
  readonly valor?: unknown;
  readonly erro?: { readonly code?: unknown; readonly message?: unknown } | null;
}

export interface Requests {
  /** `send` is called once the request is known. */
  ask(verbo: AskedVerb, args: Args, transfer: Transferable[], send: (request: Request) => void): Promise<unknown>;
  answered(answer: Answer): void;
  /** As outside the shell. Source: rules 7, "web SDK outside the shell". */
  degrade(request: Request): void;
  refuse(request: Request, error: Error): void;
  isWaiting(request: Request): boolean;
}

export const failure = (code: string, message: string, more: object = {}): Error => Object.assign(new Error(message), { ...more, code });

const late = (verbo: AskedVerb): Error => failure('sem-resposta', `${verbo}: o ambiente não respondeu a tempo`);

const wordOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

export function createRequests(outside: Outside): Requests {
  let lastId = 0;
  const waiting = new Map<unknown, Waiting>();
  const take = (id: unknown): Waiting | undefined => {
    const request = waiting.get(id);
    clearTimeout(request?.timer);
    waiting.delete(id);
    return request;
  };
  return {
    ask: async (verbo, args, transfer, send) =>
      await new Promise((resolve, reject) => {
        const request: Waiting = { id: (lastId += 1), verbo, args, transfer, resolve, reject, timer: undefined };
        const waitMs = pageWaitMs(verbo);
        waiting.set(request.id, request);
        if (waitMs !== null) request.timer = setTimeout(() => take(request.id)?.reject(late(verbo)), waitMs);
        send(request);
      }),
    answered: ({ id, ok, valor, erro }) => {
      const request = take(id);
      if (request === undefined) return;
      if (ok === true) return request.resolve(valor);
      const { code, message, ...more } = erro ?? {};
      request.reject(failure(wordOf(code, 'falhou'), wordOf(message, `${request.verbo} falhou`), more));
    },
    degrade: ({ id }) => {
      const request = take(id);
      if (request === undefined) return;
      try {
        const instead = outside(request.verbo, request.args);
        if (instead === undefined) throw failure('fora-do-ambiente', `fora do ambiente ${request.verbo}`);
        request.resolve(instead);
      } catch (problem) {
        request.reject(problem as Error);
      }
    },
    refuse: ({ id }, error) => take(id)?.reject(error),
    isWaiting: ({ id }) => waiting.has(id),
  };
}
