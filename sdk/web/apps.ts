/**
 * `svc.apps`: asks other apps for a capability, by way of the shell. The answer is a `Response`; nothing of it goes over the network of the
 * page, so its policy may forbid that. Protocol and bounds: schema/bridge/call.ts.
 */
import { createCredit, type CallError, type CallHead, type Credit, type ToPage, type ToShell } from '../../schema/bridge/call.ts';
import { limits } from '../../schema/bridge/limits.ts';
import type { Bridge } from './bridge.ts';
import { failure } from './requests.ts';

interface Options {
  readonly app?: string;
  readonly method?: string;
  readonly headers?: HeadersInit;
  readonly body?: BodyInit | null;
  readonly signal?: AbortSignal | null;
}

/** The browser's own rules for methods, headers and bodies. The address is never asked. */
async function written({ app, method, headers, body }: Options): Promise<Readonly<Record<string, unknown>>> {
  const stream = body instanceof ReadableStream;
  if (stream && /^(?:get|head)$/i.test(method ?? 'get')) throw new TypeError('svc.apps.pedir: GET e HEAD não têm corpo');
  const init = { ...(method === undefined ? {} : { method }), ...(headers === undefined ? {} : { headers }) };
  const request = new Request('https://svc.invalid/', body == null || stream ? init : { ...init, body });
  const corpo = body == null ? null : stream ? true : body instanceof Blob ? body : await request.arrayBuffer();
  return { ...(app === undefined ? {} : { app }), metodo: request.method, cabecalhos: [...request.headers], corpo };
}

interface Call {
  readonly port: MessagePort;
  readonly send: (message: ToShell, transfer?: Transferable[]) => void;
  readonly answered: (response: Response) => void;
  /** Once; without an error the call came to its end. */
  readonly end: (error?: unknown) => void;
  /** Fires with the error with which the call ended. */
  readonly signal: AbortSignal;
}

/** The answer as the app reads it: no more than `callChunksMax` chunks are kept for it. */
function answerStream({ send, end, signal }: Call): { readonly stream: ReadableStream<Uint8Array>; deliver(message: ToPage): void } {
  let credit: number = limits.callChunksMax;
  let out!: ReadableStreamDefaultController<Uint8Array>;
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        out = controller;
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
      pull: () => {
        const mais = (out.desiredSize ?? 0) - credit;
        // In halves: a message for each chunk would cost more than the chunk.
        if (mais < limits.callChunksMax / 2) return;
        credit += mais;
        send({ mais });
      },
      cancel: () => {
        send({ cancela: true });
        end();
      },
    },
    { highWaterMark: limits.callChunksMax },
  );
  return {
    stream,
    deliver: ({ corpo, fim }) => {
      if (corpo) {
        credit -= 1;
        out.enqueue(new Uint8Array(corpo));
      } else if (fim) {
        out.close();
        end();
      }
    },
  };
}

/** Sends a body that is a stream, as fast as the shell takes it. */
async function sendBody(body: ReadableStream<unknown>, credit: Credit, { send, signal }: Call): Promise<void> {
  const reader = body.getReader();
  signal.addEventListener('abort', () => void reader.cancel(signal.reason).catch(() => undefined));
  for (;;) {
    const { done, value } = await reader.read();
    signal.throwIfAborted();
    if (done) return send({ fim: true });
    if (!(value instanceof Uint8Array)) throw new TypeError('svc.apps.pedir: o corpo deve dar Uint8Array');
    for (let at = 0; at < value.length; at += limits.callChunkBytesMax) {
      await credit.take();
      // A copy: what the app gave stays its own.
      const corpo = value.slice(at, at + limits.callChunkBytesMax).buffer;
      send({ corpo }, [corpo]);
    }
  }
}

function receive(call: Call, body: ReadableStream<unknown> | null): void {
  const { port, send, answered, end, signal } = call;
  const credit = createCredit(signal);
  let answer: ReturnType<typeof answerStream> | null = null;
  const head = ({ status, texto: statusText, cabecalhos, temCorpo }: CallHead, whole: ArrayBuffer | null): void => {
    if (temCorpo && whole === null) answer = answerStream(call);
    answered(new Response(answer?.stream ?? whole, { status, statusText, headers: cabecalhos as [string, string][] }));
    if (answer === null) end();
  };
  port.onmessage = ({ data }: MessageEvent<ToPage>) => {
    if (data.erro) end(asError(data.erro));
    else if (data.mais) credit.add(data.mais);
    else if (data.cabeca) head(data.cabeca, data.corpo ?? null);
    else answer?.deliver(data);
  };
  port.addEventListener('close', () => end(failure('interrompido', 'apps.pedir: a resposta foi cortada')));
  if (body === null) return;
  sendBody(body, credit, call).catch((problem: unknown) => {
    send({ cancela: true });
    end(problem);
  });
}

const asError = ({ code, message, ...more }: CallError): Error => failure(code, message, more);

/** `svc.apps.pedir`. */
export function ask(bridge: Bridge): (capacidade: string, caminho: string, opcoes?: Options) => Promise<Response> {
  return async (capacidade, caminho, opcoes = {}) => {
    const { signal, body } = opcoes;
    signal?.throwIfAborted();
    const args = await written(opcoes);
    const { port1: port, port2: porta } = new MessageChannel();
    return await new Promise((resolve, reject) => {
      const ended = new AbortController();
      const send = (message: ToShell, moved: Transferable[] = []): void => port.postMessage(message, moved);
      const abort = (): void => {
        send({ cancela: true });
        end(signal?.reason);
      };
      const end = (problem?: unknown): void => {
        signal?.removeEventListener('abort', abort);
        port.close();
        if (problem === undefined || ended.signal.aborted) return;
        reject(problem);
        ended.abort(problem);
      };
      signal?.addEventListener('abort', abort);
      receive({ port, send, answered: resolve, end, signal: ended.signal }, body instanceof ReadableStream ? body : null);
      const transfer = args['corpo'] instanceof ArrayBuffer ? [porta, args['corpo']] : [porta];
      bridge
        .ask('apps.pedir', { ...args, capacidade, caminho, porta }, transfer)
        .then((outside) => {
          // Outside the shell the answer is here; inside it comes over the port.
          if (outside instanceof Response) {
            resolve(outside);
            end();
          }
          return null;
        })
        .catch(end);
    });
  };
}
