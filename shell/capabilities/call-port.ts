/** The shell's end of the port of one call: the body that comes, the answer that goes, no more of either than the other side takes. */
import { createCredit, isChunk, type CallError, type Credit, type ToPage, type ToShell } from '../../schema/bridge/call.ts';
import { limits } from './limits.ts';

const blobBytes = 4 * 1024 * 1024;

export interface CallPort {
  /** Fires when the page gave up, is gone, or breaks the protocol. */
  readonly signal: AbortSignal;
  /** The body that the page streams. */
  body(): Promise<Blob>;
  answer(response: Response): Promise<void>;
  fail(error: CallError): void;
}

export function openCallPort(port: MessagePort, page: AbortSignal, bodyBytesMax: number = limits.callStreamedBodyBytesMax): CallPort {
  const ended = new AbortController();
  const signal = AbortSignal.any([page, ended.signal]);
  const credit = createCredit(signal);
  const gathered = createGathered(signal, bodyBytesMax);
  const send = (message: ToPage, transfer: Transferable[] = []): void => port.postMessage(message, transfer);
  const fail = (erro: CallError): void => {
    send({ erro });
    ended.abort();
  };
  const broken = (): void => fail({ code: 'argumentos-invalidos', message: 'apps.pedir: mensagem fora do protocolo' });
  const chunk = async (corpo: unknown): Promise<void> => {
    if (!isChunk(corpo)) return broken();
    const message = `apps.pedir: corpo maior que ${bodyBytesMax} bytes`;
    if (!(await gathered.add(corpo))) return fail({ code: 'TOO_LARGE', message, status: 413 });
    send({ mais: 1 });
  };
  port.addEventListener('message', ({ data }: MessageEvent<ToShell | null>) => {
    if (signal.aborted) return;
    if (typeof data !== 'object' || data === null) return broken();
    if (data.mais !== undefined) return credit.add(data.mais) ? undefined : broken();
    if (data.corpo !== undefined) return void chunk(data.corpo).catch(broken);
    if (data.fim === true) return gathered.end();
    if (data.cancela === true) return ended.abort();
    broken();
  });
  port.addEventListener('close', () => ended.abort());
  page.addEventListener('abort', () => port.close(), { once: true });
  port.start();
  return {
    signal,
    body: async () => await gathered.whole,
    answer: async (response) => {
      const { status, statusText: texto, headers, body } = response;
      const cabeca = { status, texto, cabecalhos: [...headers], temCorpo: body !== null };
      const corpo = isSmall(response) ? await response.arrayBuffer() : null;
      signal.throwIfAborted();
      if (corpo !== null) return send({ cabeca, corpo }, [corpo]);
      send({ cabeca });
      if (body !== null) await pump(body.getReader(), credit, send);
    },
    fail,
  };
}

/** A compressed answer may be much longer than its content-length. */
function isSmall({ headers, body }: Response): boolean {
  const length = headers.get('content-length');
  return body !== null && length !== null && Number(length) <= limits.callWholeAnswerBytesMax && !headers.has('content-encoding');
}

interface Gathered {
  /** Resolves when the browser has taken what came so far, with false for too many bytes. */
  add(chunk: ArrayBuffer): Promise<boolean>;
  end(): void;
  /** Rejects when the call has ended. */
  readonly whole: Promise<Blob>;
}

function createGathered(signal: AbortSignal, bytesMax: number): Gathered {
  const { promise, resolve, reject } = Promise.withResolvers<Blob>();
  promise.catch(() => undefined);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  let blob = new Blob();
  let parts: ArrayBuffer[] = [];
  let bytes = 0;
  let taken: Promise<unknown> = Promise.resolve();
  const flush = (): void => {
    blob = new Blob([blob, ...parts]);
    parts = [];
    bytes = 0;
  };
  return {
    whole: promise,
    add: async (chunk) => {
      parts.push(chunk);
      bytes += chunk.byteLength;
      if (bytes >= blobBytes) {
        flush();
        // This page holds the bytes until a look at the last one is answered.
        taken = blob.slice(-1).arrayBuffer();
      }
      await taken;
      return blob.size + bytes <= bytesMax;
    },
    end: () => {
      flush();
      resolve(blob);
    },
  };
}

async function pump(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  credit: Credit,
  send: (message: ToPage, transfer?: Transferable[]) => void,
): Promise<void> {
  try {
    for (;;) {
      await credit.take();
      const { done, value } = await reader.read();
      if (done) return send({ fim: true });
      const corpo = value.byteLength === value.buffer.byteLength ? value.buffer : value.slice().buffer;
      send({ corpo }, [corpo]);
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
