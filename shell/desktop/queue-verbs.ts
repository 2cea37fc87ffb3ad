/** Handlers of the verbs of the queue. The window identifies the app. */
import type { PageJob } from '../../schema/bridge/queue-verbs.ts';
import type { AskedVerb } from '../../schema/bridge/verbs.ts';
import type { JobView } from '../../schema/wire/jobs.ts';
import type { BridgeHandlers } from '../bridge/host.ts';
import { download, shaOf, upload } from '../queue/transfers.ts';
import { ApiError } from '../session/api.ts';
import { awayOf } from '../session/away.ts';
import { appQueue, type AppQueue } from '../session/queue-api.ts';
import type { Desk } from './desk.ts';

/** A question for news is held for so long: less than the verb's time. */
const heldSeconds = 10;

export function queueHandlers(desk: () => Desk): Pick<BridgeHandlers, Extract<AskedVerb, `fila.${string}`>> {
  const queue = (window: string, signal: AbortSignal): AppQueue => {
    const app = desk().windows.find(window)?.app;
    // A page can't ask from a window that is gone: its port is closed.
    if (app === undefined) throw new Error('a janela não existe mais');
    return appQueue(app, signal);
  };
  return {
    'fila.disponivel': async (id, _, signal) => {
      try {
        const { disponivel, motivo, codigo } = await queue(id, signal).list();
        return { disponivel, motivo, codigo };
      } catch (error) {
        return awayOf(error);
      }
    },
    'fila.submeter': async (id, { submissao }, signal) => await submit(queue(id, signal), submissao, signal),
    'fila.listar': async (id, { limite }, signal) => await listAll(queue(id, signal), limite ?? Infinity),
    'fila.saidas': async (id, { trabalho }, signal) => await queue(id, signal).outputs(trabalho),
    'fila.baixar': async (id, { trabalho, caminho }, signal) => {
      const from = queue(id, signal);
      const wanted = (await from.outputs(trabalho)).filter((each) => each.completo && (caminho === undefined || each.caminho === caminho));
      if (caminho !== undefined && wanted.length === 0)
        throw new ApiError(404, 'NOT_FOUND', `o trabalho não tem a saída ${caminho}, ou ainda não`);
      const files = [];
      for (const output of wanted) files.push(await download(from, trabalho, output, signal));
      return files;
    },
    'fila.cancelar': async (id, { trabalho }, signal) => await queue(id, signal).cancel(trabalho),
    'fila.noticia': async (id, { trabalho, desde, versao = null }, signal) => {
      const from = queue(id, signal);
      const now = await from.read(trabalho, versao, heldSeconds);
      const registo = now !== null && now.job.registo > desde ? await from.log(trabalho, desde) : new ArrayBuffer();
      return { trabalho: now?.job ?? null, versao: now?.version ?? null, registo };
    },
  };
}

/** Page by page, to the oldest or to as many as are wanted. */
async function listAll(queue: AppQueue, max: number): Promise<readonly JobView[]> {
  const jobs: JobView[] = [];
  for (let more = true; more && jobs.length < max;) {
    const page = await queue.list(jobs.at(-1)?.id);
    jobs.push(...page.trabalhos.slice(0, max - jobs.length));
    more = page.mais;
  }
  return jobs;
}

async function submit(queue: AppQueue, { entradas, ...more }: PageJob, signal: AbortSignal): Promise<JobView> {
  const inputs: { readonly caminho: string; readonly sha: string; readonly blob: Blob }[] = [];
  for (const { caminho, blob } of entradas) inputs.push({ caminho, blob, sha: await shaOf(blob, signal) });
  const send = async (): Promise<JobView> => {
    for (const { sha, blob } of inputs) await upload(queue, sha, blob);
    return await queue.submit({ ...more, entradas: inputs.map(({ caminho, sha }) => ({ caminho, sha })) });
  };
  try {
    return await send();
  } catch (error) {
    // An input that no job referred to may be swept away between the two.
    if (error instanceof ApiError && error.code === 'INPUT_MISSING') return await send();
    throw error;
  }
}
