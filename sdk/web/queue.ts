/** `svc.fila` as far as the page does it: keys that name a submission, inputs as Blobs, and the news of a job with its lines. */
import type { JobNews, PageJobView } from '../../schema/bridge/queue-verbs.ts';
import type { Bridge } from './bridge.ts';
import { failure } from './requests.ts';
import type { Functions } from './verbs.ts';

interface Submission {
  readonly chave?: string;
  readonly entradas?: Readonly<Record<string, BlobPart>>;
}

const pauseMsMax = 10_000;
const patienceMs = 600_000;

const newKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** It may be otherwise in a moment: the portal starts again, or the desktop is busy. */
const passes = ({ code, status }: { readonly code?: unknown; readonly status?: unknown }): boolean =>
  code === 'sem-resposta' || (typeof status === 'number' && (status === 0 || status === 429 || status >= 500));

const wait = (ms: number, signal: AbortSignal | null | undefined): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });

export function createQueue(bridge: Bridge): Functions {
  const submeter = async ({ entradas = {}, chave = newKey(), ...more }: Submission): Promise<unknown> => {
    const given = Object.entries(entradas).map(([caminho, part]) => ({ caminho, blob: part instanceof Blob ? part : new Blob([part]) }));
    return await bridge.ask('fila.submeter', { submissao: { ...more, chave, entradas: given } });
  };

  async function* acompanhar(
    trabalho: string,
    { signal }: { readonly signal?: AbortSignal | null } = {},
  ): AsyncGenerator<PageJobView & { linhas: string[] }, void> {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
    let desde = 0;
    let versao: string | null = null;
    let isBehind = false;
    let job: PageJobView | null = null;
    let isNews = false;
    let rest = '';
    let awaySinceMs = performance.now();
    for (let pauseMs = 250; ;) {
      signal?.throwIfAborted();
      try {
        const news = (await bridge.ask('fila.noticia', { trabalho, desde, ...(versao === null || isBehind ? {} : { versao }) })) as JobNews;
        isNews ||= news.trabalho !== null || news.registo.byteLength > 0;
        job = news.trabalho ?? job;
        versao = news.versao ?? versao;
        desde += news.registo.byteLength;
        isBehind = job !== null && desde < job.registo && news.registo.byteLength > 0;
        rest += decoder.decode(news.registo, { stream: true });
        [pauseMs, awaySinceMs] = [250, performance.now()];
      } catch (error) {
        if ((error as { readonly code?: unknown }).code === 'fora-do-ambiente')
          throw failure('fora-do-ambiente', 'fora do ambiente fila.acompanhar');
        if (!passes(error as object) || performance.now() - awaySinceMs > patienceMs) throw error;
        await wait(pauseMs, signal);
        pauseMs = Math.min(pauseMs * 2, pauseMsMax);
        continue;
      }
      // The rest of the log comes with the next answers, at once.
      if (job === null || !isNews || isBehind) continue;
      isNews = false;
      const hasEnded = job.terminadoEm !== null;
      const linhas = rest.split('\n');
      rest = linhas.pop() ?? '';
      if (hasEnded && rest !== '') linhas.push(rest);
      yield { ...job, linhas };
      if (hasEnded) return;
    }
  }

  return {
    submeter,
    acompanhar,
  };
}
