/** `svc jobs get|logs|cancel|why`: jobs of the queue, of all people. */
import { SvcError } from '../../schema/errors.ts';
import { jobIdPattern } from '../../schema/jobs.ts';
import { keys, readKey } from '../../schema/keys.ts';
import type { JobView } from '../../schema/wire/jobs.ts';
import { createClient } from '../client.ts';
import {
  byteSize,
  type Column,
  endColors,
  isForPrograms,
  listing,
  moment,
  plain,
  printValue,
  span,
  type Tone,
  toned,
  wrap,
  write,
} from '../output.ts';
import type { PortalOptions } from './options.ts';
import { runWhy } from './why.ts';

interface JobsOptions extends PortalOptions {
  readonly person?: string;
  readonly cluster?: string;
  readonly limit: number;
}

/** `j…` or `Job/j…`. */
function idOf(text: string): string {
  const { kind, name } = readKey(text);
  const id = kind.toLowerCase() === 'job' ? name : text;
  if (!jobIdPattern.test(id)) throw new SvcError('BAD_REQUEST', `"${text}" is no job: expected its id; svc jobs get lists them`);
  return id;
}

export async function runJobsGet(text: string | undefined, { state, output, person, cluster, limit }: JobsOptions): Promise<void> {
  const client = createClient(state);
  if (text !== undefined) {
    const job = await client.call('GET /api/admin/fila/trabalhos/:id', { params: { id: idOf(text) } });
    return isForPrograms(output) ? await printValue(job, output) : write(describe(job, Date.now()));
  }
  const found: JobView[] = [];
  while (found.length < limit) {
    const query = { usuario: person, cluster, antes: found.at(-1)?.id };
    const { trabalhos, mais } = await client.call('GET /api/admin/fila', { query });
    found.push(...trabalhos.slice(0, limit - found.length));
    if (!mais) break;
  }
  if (isForPrograms(output)) return await printValue(found, output);
  write(found.length === 0 ? 'No jobs.\n' : listing(found, columnsOf(Date.now()), output));
}

function columnsOf(nowMs: number): Column<JobView>[] {
  return [
    { title: 'JOB', of: ({ id }) => id },
    { title: 'FOR', of: ({ usuario, app }) => `${usuario === '' ? '-' : usuario}/${app}` },
    { title: 'CLUSTER', of: ({ cluster }) => cluster },
    { title: 'STATE', of: ({ estado }) => estado, tone: toneOf },
    { title: 'PLACE', of: ({ lugar }) => (lugar === null ? '' : String(lugar)) },
    { title: 'DONE', of: doneOf },
    { title: 'AGE', of: ({ criadoEm }) => span(nowMs - criadoEm) },
    { title: 'REASON', of: ({ motivo }) => motivo },
    { title: 'STARTED', isWide: true, of: ({ iniciadoEm }) => (iniciadoEm === null ? '' : moment(iniciadoEm, nowMs)) },
    { title: 'EXIT', isWide: true, of: ({ codigo }) => (codigo === null ? '' : String(codigo)) },
    { title: 'IMAGE', isWide: true, of: ({ imagem }) => imagem ?? '' },
    { title: 'COMMAND', isWide: true, of: ({ comando }) => comando.join(' ') },
    { title: 'NAME', of: ({ nome }) => nome },
  ];
}

const doneOf = ({ progresso }: JobView): string => (progresso === null ? '' : `${Math.round(progresso * 100)} %`);

function toneOf({ estado }: JobView): Tone {
  if (estado === 'terminado' || estado === 'a-correr') return 'good';
  if (estado === 'falhou') return 'bad';
  return estado === 'cancelado' ? 'plain' : 'busy';
}

function describe(job: JobView, nowMs: number): string {
  const at = (ms: number | null): string => (ms === null ? '' : moment(ms, nowMs));
  const { cpus, memoriaMb, segundos, gpus } = job.limites;
  const rows: [string, string][] = [
    ['Job', keys.job(job.id)],
    ['For', `${job.usuario === '' ? 'a person who left' : job.usuario}, ${job.app}`],
    ['Name', plain(job.nome)],
    ['State', toned(job.estado, toneOf(job))],
    ['Reason', job.motivo],
    ['Message', wrap(job.mensagem, 12)],
    ['Cluster', job.cluster],
    ['Place', job.lugar === null ? '' : String(job.lugar)],
    ['Done', doneOf(job)],
    ['Exit code', job.codigo === null ? '' : String(job.codigo)],
    ['Image', plain(job.imagem ?? '')],
    ['Command', wrap(job.comando.join(' '), 12)],
    ['Limits', `${cpus} cpus, ${memoriaMb} MB, ${segundos} s, ${gpus} gpus`],
    ['Log', byteSize(job.registo)],
    ['Submitted', at(job.criadoEm)],
    ['Request', plain(job.requestId ?? '')],
    ['Started', at(job.iniciadoEm)],
    ['Ended', at(job.terminadoEm)],
    ['Kept until', at(job.expiraEm)],
  ];
  return rows.map(([name, value]) => (value === '' ? '' : `${name.padEnd(11)} ${value}\n`)).join('');
}

export async function runJobsLogs(text: string, { state, follow }: { readonly state: string; readonly follow?: boolean }): Promise<void> {
  const end = new AbortController();
  process.once('SIGINT', () => end.abort());
  const input = { params: { id: idOf(text) }, query: { follow: follow === true ? ('1' as const) : undefined } };
  for await (const chunk of createClient(state).text('GET /api/admin/fila/trabalhos/:id/registo', input, end.signal)) write(chunk);
  endColors();
}

export async function runJobsCancel(text: string, { state, output }: PortalOptions): Promise<void> {
  const job = await createClient(state).call('DELETE /api/admin/fila/trabalhos/:id', { params: { id: idOf(text) } });
  if (isForPrograms(output)) return await printValue(job, output);
  write(`${keys.job(job.id)} ${job.estado} ${job.motivo}\n`);
}

export const runJobsWhy = async (text: string, options: PortalOptions): Promise<void> => await runWhy(keys.job(idOf(text)), options);
