/** `svc.fila` in Python and Node against a real portal and its own machine as the cluster: one table over both, with the credential of a real backend. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AdminJobsAnswer, JobView, OutputsAnswer } from '../../schema/wire/jobs.ts';
import { createBrowser } from '../../api/testing/portal-world.ts';
import { backendEnv, cleanUp, commandOf, runtimes, start, type Backend, type Runtime } from '../../sdk/testing/runtimes.ts';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { openFaultyLine, type FaultyLine } from '../support/faulty-line.ts';
import { emptyServer, freePort, repository, startPortal, until, type RunningPortal } from '../support/portal.ts';
import { backendPids, order, whenInstalled, whenState, writeDesired } from './world.ts';
import { copyExamples } from '../support/example-desired.ts';

let folder: string;
let portal: RunningPortal;
let line: FaultyLine;
/** SVC_PORTAL_* of the backend of Moinho. */
let granted: Record<string, string>;

const desired = async (fila?: string): Promise<string> =>
  await writeDesired(join(folder, 'd'), { apps: ['moinho'], packages: join(folder, 'p'), ...(fila !== undefined && { fila }) });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcq-'));
  await copyExamples(['moinho'], join(folder, 'p'));
  portal = await startPortal({ desired: await desired('{}'), state: join(folder, 's') });
  await whenInstalled(portal, 'moinho');
  await order(portal, 'start', 'moinho');
  await whenState(portal, 'moinho', 'running');
  const [pid] = backendPids(portal.state, 'moinho');
  const environ = (await readFile(`/proc/${pid}/environ`, 'utf8')).split('\0').filter((entry) => entry.startsWith('SVC_PORTAL_'));
  granted = Object.fromEntries(environ.map((entry) => [entry.split('=', 1)[0] ?? '', entry.slice(entry.indexOf('=') + 1)]));
  line = await openFaultyLine(granted['SVC_PORTAL_URL'] ?? '');
}, 60_000);
afterAll(async () => {
  await cleanUp();
  await line?.close();
  await portal?.stop();
  await emptyServer(join(folder, 's'));
  await rm(folder, { recursive: true, force: true });
});

type Answer = Record<string, unknown>;
type News = JobView & { readonly linhas: readonly string[] };

const main = (runtime: Runtime): string => join(repository, 'sdk/testing/queue', runtime === 'node' ? 'main.cjs' : 'main.py');

function begin(runtime: Runtime, call: readonly unknown[], env: Readonly<Record<string, string>> = granted): Backend {
  return start([...commandOf(runtime, main(runtime)), JSON.stringify(call)], backendEnv(folder, { ...env }));
}
/** Each line that it said. */
async function ended(backend: Backend): Promise<readonly Answer[]> {
  const code = await backend.ended;
  if (code !== 0) throw new Error(`ended with ${code}:\n${backend.output()}`);
  return backend
    .output()
    .split('\n')
    .filter(Boolean)
    .map((text) => JSON.parse(text) as Answer);
}
const overFaults = (): Record<string, string> => ({ ...granted, SVC_PORTAL_URL: line.url });
const run = async <T = Answer>(runtime: Runtime, ...[verbo, argumentos = [], campos = {}, env]: Asked): Promise<T> =>
  (await ended(begin(runtime, [verbo, argumentos, campos], env))).at(-1) as T;
type Asked = [verbo: string, argumentos?: readonly unknown[], campos?: object, env?: Readonly<Record<string, string>>];
const follow = async (runtime: Runtime, id: string): Promise<readonly News[]> =>
  (await ended(begin(runtime, ['acompanhar', [id], {}]))) as unknown as readonly News[];
const jobs = async (): Promise<readonly JobView[]> => ((await portal.admin('GET', '/api/admin/fila')).body as AdminJobsAnswer).trabalhos;
const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bash = (script: string): readonly string[] => ['bash', '-c', script];

describe.each(runtimes)('%s', (runtime) => {
  test(
    'a large input over a line that breaks, one job though the answer was lost, its lines, and its outputs over the same line',
    { timeout: 120_000 },
    async () => {
      const bytes = randomBytes(11_000_000);
      const file = join(folder, `grande-${runtime}`);
      await writeFile(file, bytes);
      const before = (await jobs()).length;
      const seen: Record<string, number> = {};
      line.fault = (what) => {
        const kind = /^PUT .*desde=0&/.test(what)
          ? 'cut-up'
          : /^POST .*trabalhos/.test(what)
            ? 'lose'
            : /saida\/copia/.test(what)
              ? 'cut-down'
              : null;
        if (kind === null) return null;
        seen[kind] = (seen[kind] ?? 0) + 1;
        return seen[kind] === 1 ? kind : null;
      };
      const script =
        'echo "svc-progresso 0.5" >"$SVC_PROGRESSO"; echo "olá $NOME"; printf "sem fim de linha"; mkdir saida/copia; cp entrada/a/b.bin saida/copia/b.bin; : >saida/vazio';
      const campos = { comando: bash(script), entradas: { 'entrada/a/b.bin': file }, ambiente: { NOME: 'ção' }, limites: { segundos: 60 } };
      const { id } = await run<JobView>(runtime, 'submeter', [], campos, overFaults());
      expect((await jobs()).slice(0, -before || undefined).map((job) => job.id)).toEqual([id]);
      const news = await follow(runtime, id);
      expect(news.at(-1)).toMatchObject({ id, estado: 'terminado', codigo: 0, motivo: 'JobDone' });
      expect(news.flatMap(({ linhas }) => linhas)).toEqual(['olá ção', 'sem fim de linha']);

      const saidas = await run<OutputsAnswer['saidas']>(runtime, 'saidas', [id]);
      expect(
        saidas.map(({ caminho, sha: of, completo }) => [caminho, of, completo]).toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      ).toEqual([
        ['copia/b.bin', sha(bytes), true],
        ['vazio', sha(Buffer.alloc(0)), true],
      ]);
      const to = join(folder, `baixado-${runtime}`);
      await mkdir(join(to, 'copia'), { recursive: true });
      // The part of an earlier download that broke off, and damaged since.
      await writeFile(join(to, 'copia', `.${sha(bytes)}.parte`), randomBytes(1_000));
      const files = await run<readonly string[]>(runtime, 'baixar', [id, to], {}, overFaults());
      expect(files.toSorted()).toEqual([join(to, 'copia/b.bin'), join(to, 'vazio')]);
      expect(sha(await readFile(join(to, 'copia/b.bin')))).toBe(sha(bytes));
      expect((await readdir(to, { recursive: true })).toSorted()).toEqual(['copia', 'copia/b.bin', 'vazio']);
      expect(seen).toMatchObject({ 'cut-up': 2, lose: 2 });
      expect(seen['cut-down']).toBeGreaterThan(1);

      // It goes on where an earlier one broke off.
      await rm(join(to, 'copia/b.bin'));
      await writeFile(join(to, 'copia', `.${sha(bytes)}.parte`), bytes.subarray(0, 9_000_000));
      const ranges: unknown[] = [];
      line.fault = (what, range) => {
        if (what.includes('saida/copia')) ranges.push(range);
        return null;
      };
      expect(await run(runtime, 'baixar', [id, to, 'copia/b.bin'], {}, overFaults())).toEqual([join(to, 'copia/b.bin')]);
      expect([ranges, sha(await readFile(join(to, 'copia/b.bin')))]).toEqual([['bytes=9000000-10999999'], sha(bytes)]);

      expect(await run(runtime, 'baixar', [id, to, 'nada'])).toEqual({ erro: 'NOT_FOUND', status: null });
      const away = join(folder, `fora-${runtime}`);
      await mkdir(away);
      await rm(join(to, 'copia'), { recursive: true });
      await symlink(away, join(to, 'copia'));
      expect(await run(runtime, 'baixar', [id, to, 'copia/b.bin'])).toMatchObject({ erro: 'CAMINHO_INVALIDO' });
      expect(await readdir(away)).toEqual([]);
    },
  );

  test('the same key names the same job, and with other content is refused', async () => {
    const campos = { comando: ['true'], chave: `chave-${runtime}`, nome: 'um' };
    const [one, two] = [await run<JobView>(runtime, 'submeter', [], campos), await run<JobView>(runtime, 'submeter', [], campos)];
    expect(two.id).toBe(one.id);
    expect(await run(runtime, 'submeter', [], { ...campos, comando: ['false'] })).toEqual({ erro: 'CONFLICT', status: 409 });
    const [newest] = await run<readonly JobView[]>(runtime, 'listar');
    expect(newest).toMatchObject({ id: one.id, nome: 'um', app: 'moinho', usuario: 'ana' });
  });

  test('a cancelled job ends who follows it, and one that fails says its code', { timeout: 60_000 }, async () => {
    const { id } = await run<JobView>(runtime, 'submeter', [], { comando: bash('echo a; sleep 300') });
    const following = begin(runtime, ['acompanhar', [id], {}]);
    await following.said('"a-correr"');
    await run(runtime, 'cancelar', [id]);
    expect((await ended(following)).at(-1)).toMatchObject({ estado: 'cancelado' });
    const failing = await run<JobView>(runtime, 'submeter', [], { comando: bash('exit 7') });
    expect((await follow(runtime, failing.id)).at(-1)).toMatchObject({ estado: 'falhou', codigo: 7, motivo: 'CommandFailed' });
  });

  test('disponivel says why not: no credential, another declaration, no portal', async () => {
    const motivo = expect.any(String) as string;
    expect(await run(runtime, 'disponivel')).toEqual({ disponivel: true, motivo: null, codigo: null });
    const { SVC_PORTAL_URL: _, SVC_PORTAL_TOKEN: __, ...none } = granted;
    expect(await run(runtime, 'disponivel', [], {}, none)).toEqual({ disponivel: false, motivo, codigo: 'SEM_CREDENCIAL' });
    const other = { ...granted, SVC_PORTAL_SCOPES: 'salas' };
    expect(await run(runtime, 'disponivel', [], {}, other)).toEqual({ disponivel: false, motivo, codigo: 'SEM_ESCOPO' });
    const away = { ...granted, SVC_PORTAL_URL: `http://127.0.0.1:${await freePort()}` };
    expect(await run(runtime, 'disponivel', [], {}, away)).toEqual({ disponivel: false, motivo, codigo: 'SEM_REDE' });
    const revoked = { ...granted, SVC_PORTAL_TOKEN: randomBytes(32).toString('base64url') };
    expect(await run(runtime, 'disponivel', [], {}, revoked)).toEqual({ disponivel: false, motivo, codigo: 'UNAUTHENTICATED' });
  });
});

test('a job is followed through the death of the portal, and no line of it is lost or twice', { timeout: 120_000 }, async () => {
  const wanted = Array.from({ length: 12 }, (_, at) => `linha ${at + 1}`);
  const campos = { comando: bash('for i in $(seq 12); do echo "linha $i"; sleep 0.5; done') };
  const followers: Backend[] = [];
  for (const runtime of runtimes) {
    const { id } = await run<JobView>(runtime, 'submeter', [], campos);
    followers.push(begin(runtime, ['acompanhar', [id], {}]));
  }
  await Promise.all(followers.map((each) => each.said('linha 1"')));
  await portal.kill();
  await portal.again();
  for (const each of followers) {
    const news = (await ended(each)) as unknown as readonly News[];
    expect(news.at(-1)).toMatchObject({ estado: 'terminado', codigo: 0 });
    expect(news.flatMap(({ linhas }) => linhas)).toEqual(wanted);
  }
});

test('svc jobs lists a job, follows its log to its end, says why, and cancels', { timeout: 60_000 }, async () => {
  const campos = { comando: bash('for i in 1 2 3; do echo "linha $i"; sleep 1; done'), nome: 'três linhas' };
  const { id } = await run<JobView>('node', 'submeter', [], campos);
  const svc = async (...words: readonly string[]) => await runSvc(repository, [...words, '--state', portal.state]);
  expect((await svc('jobs', 'get', '--person', 'ana')).out).toMatch(new RegExp(`^${id} .*ana/moinho +local .*três linhas$`, 'm'));
  expect((await svc('jobs', 'logs', id, '-f')).out).toBe('linha 1\nlinha 2\nlinha 3\n');
  expect((await svc('jobs', 'logs', `Job/${id}`)).out).toBe('linha 1\nlinha 2\nlinha 3\n');
  expect((await svc('jobs', 'get', id)).out).toMatch(/^Command +bash -c /m);
  expect(JSON.parse((await svc('jobs', 'get', '-o', 'json', '-n', '1')).out)).toMatchObject([{ id, usuario: 'ana' }]);
  const waiting = await run<JobView>('node', 'submeter', [], { comando: ['sleep', '300'] });
  expect((await svc('get', 'Job', waiting.id, '-o', 'json')).out).toContain(`"Job/${waiting.id}"`);
  expect((await svc('jobs', 'why', waiting.id)).out).toContain(`Job/${waiting.id}`);
  expect((await svc('jobs', 'cancel', waiting.id)).code).toBe(0);
  expect((await follow('node', waiting.id)).at(-1)).toMatchObject({ estado: 'cancelado' });
  expect(await svc('jobs', 'logs', `j${'0'.repeat(20)}`)).toMatchObject({ code: 1, err: expect.stringContaining('NOT_FOUND') as string });
  expect((await svc('jobs', 'cancel', 'nada')).err).toContain('BAD_REQUEST');
});

test('Moinho counts words in a job', { timeout: 60_000 }, async () => {
  const host = `svc.localhost:${portal.port}`;
  const app = `moinho.${host}`;
  const { link } = (await portal.admin('POST', '/api/admin/links', { person: 'ana' })).body as { link: string };
  const ana = createBrowser({ host, port: portal.port, url: `http://${host}`, received: [] });
  await ana.visit(link);
  await ana.visit(`http://${app}/`);
  const headers = { host: app, origin: `http://${app}`, 'sec-fetch-site': 'same-origin' };
  const ask = async (method: string, path: string, body?: object) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    return await ana.request(path, { method, headers: { ...headers, ...type }, ...(body && { body: JSON.stringify(body) }) });
  };
  const answer = await ask('POST', '/api/moer', { texto: 'a casa e a rua\ne a ponte' });
  expect([answer.status, answer.text]).toEqual([202, expect.any(String)]);
  const { id } = answer.json() as { id: string };
  const found = await until('the words', async () => {
    const job = (await ask('GET', `/api/trabalhos/${id}`)).json() as Answer;
    return job['palavras'] === undefined ? null : job;
  });
  expect(found).toMatchObject({ estado: 'terminado', palavras: { a: 3, e: 2, casa: 1, rua: 1, ponte: 1 } });
});

test('with the queue off on the server disponivel says so', async () => {
  await desired();
  await portal.admin('POST', '/api/admin/apply');
  for (const runtime of runtimes) {
    await until('off', async () => (await run(runtime, 'disponivel'))['disponivel'] === false);
    expect(await run(runtime, 'disponivel')).toEqual({
      disponivel: false,
      motivo: 'a fila está desligada neste portal',
      codigo: 'DESLIGADA',
    });
    expect(await run(runtime, 'submeter', [], { comando: ['true'] })).toEqual({ erro: 'QUEUE_OFF', status: 503 });
  }
});
