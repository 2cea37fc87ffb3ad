/**
 * The shell's end of the bridge: gives each window's page a port and answers its requests. The sender is identified by the iframe, never by
 * the message. The protocol is in schema/bridge/protocol.ts.
 */
import { shellKeys, type ShellKey } from '../../schema/bridge/protocol.ts';
import {
  argumentProblem,
  askedVerbs,
  verbs,
  type AnswerOf,
  type ArgsOf,
  type AskedVerb,
  type BridgeErrorCode,
  type ShellEvent,
} from '../../schema/bridge/verbs.ts';
import { limits } from './limits.ts';
import { createOpenings, type Openings } from './openings.ts';
import { createGathering, createPace, type Pace } from './pace.ts';

/** Handlers of the verbs, for the window `id`. `signal` aborts when the verb's deadline passes or its page is gone. */
export type BridgeHandlers = {
  readonly [V in AskedVerb]: (window: string, args: ArgsOf<V>, signal: AbortSignal) => AnswerOf<V> | Promise<AnswerOf<V>>;
};

export interface BridgeFrame {
  readonly window: string;
  readonly contentWindow: unknown;
  readonly origin: string;
}

export interface BridgeHost {
  /**
   * An 'abertura' is kept until the page confirms it, so that it is lost neither before the first port nor while the page is loaded again;
   * other events are for the page that is there.
   */
  emit(window: string, evento: ShellEvent, dados: Fields): void;
  /** Openings that the window gets once more after a reload of the desktop. */
  openings(window: string): readonly Fields[];
  /** The page is to load again, or its style sheets alone. False: it has no SDK, or is none of the app's. */
  renew(window: string, what: 'page' | 'styles'): boolean;
  /** The window is gone: its port closes. */
  drop(window: string): void;
}

export interface BridgePage {
  /** The page of this window loaded the SDK and has a port now. */
  hello(window: string): void;
  /** A pointerdown in the page. */
  pointer(window: string): void;
  /** The page lost the keyboard. */
  blurred(window: string): void;
  /** This window shows the portal's error panel, which asks for the appearance of the desktop. */
  panel(window: string): void;
  key(window: string, key: ShellKey): void;
}

/** A page says hello once for each time that it loads. */
const helloQuietMs = 100;

type Fields = Readonly<Record<string, unknown>>;
/** A longer one is of no SDK, and would come back whole. */
const isId = (id: unknown): id is number | string => typeof id === 'number' || (typeof id === 'string' && id.length <= limits.idCharsMax);
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

export function startBridge(frames: () => readonly BridgeFrame[], handlers: BridgeHandlers, page: BridgePage): BridgeHost {
  const ports = new Map<string, { readonly port: MessagePort; readonly gone: AbortController }>();
  /** Paces by window, not by port: saying hello again resets nothing. */
  const paces = new Map<string, Pace>();
  /** Windows with the portal's error panel: it has no port, and gets the appearance only. */
  const panels = new Map<string, { readonly source: Window; readonly origin: string }>();
  const openings = createOpenings();
  const forget = (window: string): void => {
    ports.get(window)?.port.close();
    ports.get(window)?.gone.abort();
    ports.delete(window);
  };

  const received = async (window: string, data: unknown, port: MessagePort, gone: AbortSignal): Promise<void> => {
    if (!isObject(data)) return;
    const { id } = data;
    if (data['evento'] !== undefined) heard(page, openings, window, data);
    else if (isId(id)) port.postMessage({ id, ...(await answer(handlers, window, data, gone)) });
  };
  const paceOf = (window: string): Pace => {
    const pace = paces.get(window) ?? createPace(performance.now());
    paces.set(window, pace);
    return pace;
  };
  const senderOf = ({ source, origin }: MessageEvent<unknown>): BridgeFrame | undefined =>
    frames().find((frame) => frame.contentWindow === source && frame.origin === origin);
  const greet = (event: MessageEvent<unknown>): void => {
    const frame = senderOf(event);
    if (frame === undefined) return;
    const gone = new AbortController();
    const pace = paceOf(frame.window);
    const port = handPort(event.source as Window, frame.origin, (data) => {
      if (pace.take(performance.now())) void received(frame.window, data, port, gone.signal);
      else refuse(port, data);
    });
    forget(frame.window);
    ports.set(frame.window, { port, gone });
    for (const opening of openings.of(frame.window)) port.postMessage(opening);
    panels.delete(frame.window);
    page.hello(frame.window);
  };

  const greetPanel = (event: MessageEvent<Fields>): void => {
    const frame = senderOf(event);
    if (frame === undefined || !paceOf(frame.window).take(performance.now())) return;
    const key = shellKeys.find((name) => name === event.data['tecla']);
    if (key !== undefined) return page.key(frame.window, key);
    forget(frame.window);
    panels.set(frame.window, { source: event.source as Window, origin: frame.origin });
    page.panel(frame.window);
  };

  const gather = createGathering(helloQuietMs, greet);
  globalThis.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (!isObject(event.data) || event.data['v'] !== 1 || event.source === null) return;
    if (event.data['svc'] === 'ola') gather(event.source, event);
    else if (event.data['svc'] === 'painel') greetPanel(event as MessageEvent<Fields>);
  });
  return {
    emit: (window, evento, dados) => {
      const message = evento === 'abertura' ? openings.add(window, dados) : { evento, dados };
      const [panel, port] = [panels.get(window), ports.get(window)?.port];
      if (panel === undefined) port?.postMessage(message);
      else if (evento === 'tema') panel.source.postMessage({ svc: 'aparencia', v: 1, dados }, panel.origin);
    },
    openings: (window) => openings.again(window),
    renew: (window, what) => !panels.has(window) && renew(ports.get(window)?.port, what),
    drop: (window) => {
      forget(window);
      paces.delete(window);
      panels.delete(window);
      openings.drop(window);
    },
  };
}

function renew(port: MessagePort | undefined, what: 'page' | 'styles'): boolean {
  port?.postMessage({ evento: 'renovar', dados: { o: what } });
  return port !== undefined;
}

/** The shell's end of a new channel, whose other end goes to the page. */
function handPort(page: Window, origin: string, received: (data: unknown) => void): MessagePort {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', ({ data }: MessageEvent<unknown>) => received(data));
  port1.start();
  page.postMessage({ svc: 'porta', v: 1 }, origin, [port2]);
  return port1;
}

/** Handles an event of a page; no answer is sent. */
function heard(page: BridgePage, openings: Openings, window: string, { evento, dados: given }: Fields): void {
  const dados = isObject(given) ? given : {};
  if (evento === 'ponteiro') page.pointer(window);
  if (evento === 'desfoque') page.blurred(window);
  const key = evento === 'tecla' ? shellKeys.find((name) => name === dados['tecla']) : undefined;
  if (key !== undefined) page.key(window, key);
  if (evento === 'recebido') openings.confirm(window, dados['n']);
}

type Answer =
  | { readonly ok: true; readonly valor: unknown }
  | { readonly ok: false; readonly erro: { readonly code: string; readonly message: string } };

/** A request gets an error; the rest is dropped. */
function refuse(port: MessagePort, data: unknown): void {
  const id = isObject(data) ? data['id'] : undefined;
  if (isId(id)) port.postMessage({ id, ...refusal('pedidos-demais', 'a página pediu demais de uma vez') });
}

const refusal = (code: BridgeErrorCode, message: string): Answer => ({ ok: false, erro: { code, message } });

/** The portal's refusals keep their code and status, so that a page can tell "no" from "not now". */
function failed(error: unknown): Answer {
  if (!(error instanceof Error)) return refusal('falhou', String(error));
  const { message } = error;
  const { code, status, retryAfterMs } = error as { readonly code?: unknown; readonly status?: unknown; readonly retryAfterMs?: unknown };
  if (typeof code !== 'string') return refusal('falhou', message);
  const erro = {
    code,
    message,
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  };
  return { ok: false, erro };
}

/** Name of a verb for a message. A page may send any value that can be cloned, of any length. */
const nameOf = (verb: unknown): string => (typeof verb === 'string' ? verb.slice(0, limits.verbCharsShown) : typeof verb);

/** Answers a request after checking it against the table of verbs. `gone` aborts when the page that asked is gone. */
export async function answer(handlers: BridgeHandlers, window: string, request: Fields, gone: AbortSignal): Promise<Answer> {
  const args = request['args'] ?? {};
  const verb = askedVerbs.find((name) => name === request['verbo']);
  if (verb === undefined) return refusal('verbo-desconhecido', `não há o verbo ${nameOf(request['verbo'])}`);
  if (!isObject(args)) return refusal('argumentos-invalidos', `${verb}: os argumentos não são um objeto`);
  const wrong = argumentProblem(verb, args);
  if (wrong !== null) return refusal('argumentos-invalidos', wrong);
  // The check above proves the type that the table gives.
  const handler = handlers[verb] as (window: string, args: Fields, signal: AbortSignal) => unknown;
  const ended = new AbortController();
  const work = async (): Promise<Answer> => {
    try {
      return { ok: true, valor: await handler(window, args, AbortSignal.any([ended.signal, gone])) };
    } catch (error) {
      return failed(error);
    }
  };
  const { deadlineMs } = verbs[verb];
  if (deadlineMs === null) return await work();
  const late = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => {
    late.resolve(refusal('sem-resposta', `${verb}: sem resposta em ${deadlineMs / 1_000} s`));
    ended.abort();
  }, deadlineMs);
  try {
    return await Promise.race([late.promise, work()]);
  } finally {
    clearTimeout(timer);
  }
}
