/**
 * The page's end of the bridge (protocol in schema/bridge/protocol.ts): the page says `ola` to its parent, the shell answers with one MessagePort,
 * and everything else goes over that port. Outside the shell, or with no port within 3 s, verbs degrade instead of throwing (rules 7).
 */
import type { AskedVerb } from '../../schema/bridge/verbs.ts';
import { defer } from '../rooms/deferred.ts';
import { createEvents, type Listener } from './events.ts';
import { createRequests, failure, type Answer, type Args, type Outside, type Request } from './requests.ts';

const portWaitMs = 3_000;
/** A navigation to an app that starts is held by the portal for 20 s. */
const leavingMs = 25_000;

export interface Bridge {
  /** False outside the shell, also once the wait for it ended without a port. */
  readonly inside: boolean;
  readonly connected: boolean;
  /** `transfer`: what of the arguments moves to the shell. */
  ask(verbo: AskedVerb, args?: Args, transfer?: Transferable[]): Promise<unknown>;
  /** One-way: what the shell wants to know and never answers. */
  emit(evento: string, dados?: Args): void;
  /** Answers the function that cancels. */
  on(evento: string, callback: Listener): () => void;
  /** Resolves at the next port, also a late one. */
  nextPort(): Promise<void>;
  start(): void;
}

export const inFrame = window.parent !== window;

interface Greeting {
  readonly svc?: unknown;
  readonly v?: unknown;
}

interface FromShell extends Answer {
  readonly evento?: unknown;
  readonly dados?: unknown;
  readonly n?: unknown;
}

/** The port that the greeting carries; null unless it comes from the very parent and, where the browser says who that is, from its origin. */
function portOf({ source, origin, data, ports }: MessageEvent<Greeting | null>): MessagePort | null {
  const [given] = ports;
  if (source !== window.parent || data?.svc !== 'porta' || data.v !== 1 || ports.length !== 1) return null;
  const ancestor = window.location.ancestorOrigins?.[0];
  return given === undefined || (ancestor !== undefined && ancestor !== origin) ? null : given;
}

/** Confirms an opening; on a page that is being left only later, if it stays, so that the next page gets the opening too. */
function createConfirmation(confirm: (n: unknown) => void): (n: unknown) => void {
  let leaving = false;
  addEventListener('beforeunload', () => {
    leaving = true;
    setTimeout(() => (leaving = false), leavingMs);
  });
  return (n) => void (leaving ? setTimeout(confirm, leavingMs, n) : confirm(n));
}

export function createBridge(outside: Outside): Bridge {
  /** 'conectando' until the port or the wait ends, then 'ligado' or 'fora'. A late port still connects. */
  let state: 'conectando' | 'ligado' | 'fora' = inFrame ? 'conectando' : 'fora';
  let port: MessagePort | null = null;
  let arrival = defer<void>();
  const requests = createRequests(outside);
  const events = createEvents();
  const queue: Request[] = [];

  const send = ({ id, verbo, args, transfer }: Request): void => port?.postMessage({ id, verbo, args }, transfer);
  const trySend = (request: Request): void => {
    try {
      send(request);
    } catch (problem) {
      requests.refuse(request, failure('argumentos-invalidos', `${request.verbo}: ${String(problem)}`));
    }
  };
  const emit = (evento: string, dados?: Args): void => {
    if (state === 'ligado') port?.postMessage(dados === undefined ? { evento } : { evento, dados });
  };
  const confirm = createConfirmation((n) => emit('recebido', { n }));
  const received = (data: FromShell | null): void => {
    if (data === null || typeof data !== 'object') return;
    const { evento, dados, n } = data;
    if (typeof evento !== 'string') requests.answered(data);
    else events.deliver(evento, dados, n === undefined ? undefined : () => confirm(n));
  };
  const connect = (given: MessagePort): void => {
    port?.close();
    port = given;
    port.addEventListener('message', ({ data }: MessageEvent<FromShell | null>) => received(data));
    port.start();
    state = 'ligado';
    for (const request of queue.splice(0)) if (requests.isWaiting(request)) trySend(request);
    arrival.resolve(undefined);
    arrival = defer();
  };
  const greet = (): void => {
    state = 'conectando';
    // The message says nothing but "here I am", so it may go to any parent; the parent proves itself by the port.
    window.parent.postMessage({ svc: 'ola', v: 1 }, '*');
    setTimeout(() => {
      if (state !== 'conectando') return;
      state = 'fora';
      for (const request of queue.splice(0)) requests.degrade(request);
    }, portWaitMs);
  };
  return {
    get inside() {
      return state !== 'fora';
    },
    get connected() {
      return state === 'ligado';
    },
    ask: async (verbo, args = {}, transfer = []) =>
      await requests.ask(verbo, args, transfer, (request) => {
        if (state === 'ligado') trySend(request);
        else if (state === 'fora') requests.degrade(request);
        else queue.push(request);
      }),
    emit,
    on: (evento, callback) => events.on(evento, callback),
    nextPort: async () => await arrival.promise,
    start: () => {
      addEventListener('message', (event) => {
        const given = portOf(event);
        if (given !== null) connect(given);
      });
      greet();
      // A page that comes back from the back/forward cache has a dead port.
      addEventListener('pageshow', (event) => event.persisted && greet());
    },
  };
}
