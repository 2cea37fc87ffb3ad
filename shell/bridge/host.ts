/**
 * The shell's end of the bridge: gives each window's page a port and answers its requests. The sender is identified by the iframe, never by
 * the message. Source: design 7, anchors E and F20; protocol in verbs.ts.
 */
import {
  verbArguments,
  verbDeadlineMs,
  shellKeys,
  type BridgeErrorCode,
  type BridgeVerbs,
  type ShellEvent,
  type ShellKey,
  type VerbName,
} from './verbs.ts';
import { createGathering, createPace, type Pace } from './pace.ts';

/** What the verbs do, for the window `id`. `signal` ends what takes longer than the verb's deadline. */
export type BridgeHandlers = {
  readonly [V in VerbName]: (
    window: string,
    args: BridgeVerbs[V]['args'],
    signal: AbortSignal,
  ) => BridgeVerbs[V]['valor'] | Promise<BridgeVerbs[V]['valor']>;
};

export interface BridgeFrame {
  readonly window: string;
  readonly contentWindow: unknown;
  readonly origin: string;
}

export interface BridgeHost {
  /** Delivered when the page has a port; until then kept, so that the first opening is not lost (anchors E, "launch into existing window"). */
  emit(window: string, evento: ShellEvent, dados: unknown): void;
  /** The window is gone: its port closes. */
  drop(window: string): void;
}

export interface BridgePage {
  /** The page of this window loaded the SDK and has a port now. */
  hello(window: string): void;
  /** A pointerdown in the page. */
  pointer(window: string): void;
  /** This window shows the portal's error panel, which asks for the appearance of the desktop. */
  panel(window: string): void;
  key(window: string, key: ShellKey): void;
}

const keptEventsMax = 32;
/** A page says hello once for each time that it loads. */
const helloQuietMs = 100;

type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

export function startBridge(frames: () => readonly BridgeFrame[], handlers: BridgeHandlers, page: BridgePage): BridgeHost {
  const ports = new Map<string, MessagePort>();
  /** Of the window, not of the port: saying hello again brings nothing. */
  const paces = new Map<string, Pace>();
  /** Windows with the portal's error panel: it has no port, and gets the appearance only. */
  const panels = new Map<string, { readonly source: Window; readonly origin: string }>();
  const kept = new Map<string, { readonly evento: ShellEvent; readonly dados: unknown }[]>();

  const greet = (event: MessageEvent<unknown>): void => {
    const frame = frames().find(({ contentWindow, origin }) => contentWindow === event.source && origin === event.origin);
    if (frame === undefined || event.source === null) return;
    ports.get(frame.window)?.close();
    const channel = new MessageChannel();
    ports.set(frame.window, channel.port1);
    const pace = paces.get(frame.window) ?? createPace(performance.now());
    paces.set(frame.window, pace);
    channel.port1.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
      if (pace.take(performance.now())) void received(frame.window, channel.port1, data);
      else refuse(channel.port1, data);
    });
    channel.port1.start();
    (event.source as Window).postMessage({ svc: 'porta', v: 1 }, frame.origin, [channel.port2]);
    for (const message of kept.get(frame.window) ?? []) channel.port1.postMessage(message);
    kept.delete(frame.window);
    panels.delete(frame.window);
    page.hello(frame.window);
  };

  const greetPanel = (event: MessageEvent<Fields>): void => {
    const frame = frames().find(({ contentWindow, origin }) => contentWindow === event.source && origin === event.origin);
    if (frame === undefined || event.source === null) return;
    const pace = paces.get(frame.window) ?? createPace(performance.now());
    paces.set(frame.window, pace);
    if (!pace.take(performance.now())) return;
    const key = shellKeys.find((name) => name === event.data['tecla']);
    if (key !== undefined) return page.key(frame.window, key);
    panels.set(frame.window, { source: event.source as Window, origin: frame.origin });
    page.panel(frame.window);
  };

  const received = async (window: string, port: MessagePort, data: unknown): Promise<void> => {
    if (!isObject(data)) return;
    if (data['evento'] === 'ponteiro') return page.pointer(window);
    if (data['evento'] === 'tecla') {
      const key = isObject(data['dados']) ? data['dados']['tecla'] : undefined;
      const known = shellKeys.find((name) => name === key);
      return known === undefined ? undefined : page.key(window, known);
    }
    const { id } = data;
    if (typeof id !== 'number' && typeof id !== 'string') return;
    port.postMessage({ id, ...(await answer(handlers, window, data)) });
  };

  const gather = createGathering(helloQuietMs, greet);
  globalThis.addEventListener('message', (event: MessageEvent<unknown>) => {
    if (!isObject(event.data) || event.data['v'] !== 1 || event.source === null) return;
    if (event.data['svc'] === 'ola') gather(event.source, event);
    else if (event.data['svc'] === 'painel') greetPanel(event as MessageEvent<Fields>);
  });
  return {
    emit: (window, evento, dados) => {
      const port = ports.get(window);
      if (port !== undefined && !panels.has(window)) return port.postMessage({ evento, dados });
      const panel = panels.get(window);
      if (panel !== undefined && evento === 'tema') return panel.source.postMessage({ svc: 'aparencia', v: 1, dados }, panel.origin);
      kept.set(window, [...(kept.get(window) ?? []), { evento, dados }].slice(-keptEventsMax));
    },
    drop: (window) => {
      ports.get(window)?.close();
      ports.delete(window);
      paces.delete(window);
      panels.delete(window);
      kept.delete(window);
    },
  };
}

type Answer =
  | { readonly ok: true; readonly valor: unknown }
  | { readonly ok: false; readonly erro: { readonly code: string; readonly message: string } };

/** A request gets an error; the rest is dropped. */
function refuse(port: MessagePort, data: unknown): void {
  const id = isObject(data) ? data['id'] : undefined;
  if (typeof id === 'number' || typeof id === 'string')
    port.postMessage({ id, ...refusal('pedidos-demais', 'a página pediu demais de uma vez') });
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

/** One request, checked against the table of verbs. */
export async function answer(handlers: BridgeHandlers, window: string, request: Fields): Promise<Answer> {
  const { verbo } = request;
  const args = request['args'] ?? {};
  if (typeof verbo !== 'string' || !Object.hasOwn(verbArguments, verbo))
    return refusal('verbo-desconhecido', `não há o verbo ${String(verbo)}`);
  const verb = verbo as VerbName;
  if (!isObject(args) || !verbArguments[verb](args)) return refusal('argumentos-invalidos', `argumentos inválidos para ${verb}`);
  // The check above proves the type that the table gives.
  const handler = handlers[verb] as (window: string, args: Fields, signal: AbortSignal) => unknown;
  const ended = new AbortController();
  const deadlineMs = verbDeadlineMs(verb);
  const late = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => {
    late.resolve(refusal('sem-resposta', `${verb}: sem resposta em ${deadlineMs / 1_000} s`));
    ended.abort();
  }, deadlineMs);
  const work = async (): Promise<Answer> => {
    try {
      return { ok: true, valor: await handler(window, args, ended.signal) };
    } catch (error) {
      return failed(error);
    }
  };
  try {
    return await Promise.race([late.promise, work()]);
  } finally {
    clearTimeout(timer);
  }
}
