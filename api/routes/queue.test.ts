/** Accepted and refused submissions, with the wrong field; quota, news and progress of bytes. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { JobView } from '../../schema/wire/jobs.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { createPortalWorld, type Answer, type Browser, type PortalWorld } from '../testing/portal-world.ts';

let world: PortalWorld;
let ana: Browser;
beforeAll(async () => {
  world = await createPortalWorld({ manifests: { notas: { recursos: { fila: true } } } });
  ana = await world.signedIn('ana');
});
afterAll(() => world.close());
beforeEach(() => (world.clock as ManualClock).advance(60_000));

let sequence = 0;
const submit = async (over: object = {}): Promise<Answer> => {
  sequence += 1;
  return await ana.call('POST', '/api/fila/trabalhos?app=notas', { chave: `k${sequence}`, comando: ['true'], ...over });
};
const raw = (method: string, path: string, body: string, headers: Record<string, string> = {}): Promise<Answer> =>
  ana.request(path, {
    method,
    body,
    headers: { origin: world.url, 'sec-fetch-site': 'same-origin', 'content-type': 'text/plain', ...headers },
  });
const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
const put = (text: string, { desde = 0, tamanho = text.length, name = sha(text) } = {}): Promise<Answer> =>
  raw('PUT', `/api/fila/entradas/${name}?app=notas&desde=${desde}&tamanho=${tamanho}`, text);

/** The wrapper of a job. */
async function wrapper(id: string): Promise<(method: string, path: string, body: string) => Promise<Answer>> {
  const token = randomBytes(32).toString('base64url');
  await world.store.jobs.noteAttempt(id, 0, { tokenHash: sha(token), engine: 'e' });
  return (method, path, body) =>
    world.browser().request(`/api/fila/executor${path}`, {
      method,
      headers: { host: `127.0.0.1:${world.port}`, authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
      ...(method === 'GET' ? {} : { body }),
    });
}

test('the request that submitted a job is in its answer, in the log of the portal and in the job', async () => {
  const answer = await submit();
  const requestId = answer.headers['x-request-id'];
  expect(answer.json()).toMatchObject({ requestId });
  const lines = world.logLines.map((line) => JSON.parse(line) as Record<string, unknown>).filter((line) => line['requestId'] === requestId);
  expect(lines).toMatchObject([{ msg: 'request', path: '/api/fila/trabalhos', status: 201, person: 'ana' }]);
  const again = await submit({ chave: `k${sequence}` });
  expect([again.status, again.json().requestId]).toEqual([200, requestId]);
});

test('a job is what was submitted, with what the cluster gives where nothing was asked for', async () => {
  const answer = await submit({
    nome: 'soma',
    imagem: 'docker.io/library/alpine:3',
    comando: ['sh', '-c', 'x'],
    ambiente: { A: '1' },
    limites: { segundos: 9 },
  });
  expect([answer.status, answer.json()]).toMatchObject([
    201,
    {
      app: 'notas',
      usuario: 'ana',
      nome: 'soma',
      cluster: 'local',
      estado: 'em-espera',
      motivo: 'JobHeld',
      imagem: 'docker.io/library/alpine:3',
      comando: ['sh', '-c', 'x'],
      limites: { cpus: 1, memoriaMb: 1_024, segundos: 9, gpus: 0 },
      codigo: null,
      terminadoEm: null,
    },
  ]);
  expect((await submit({ chave: `k${sequence}`, comando: ['other'] })).json()).toMatchObject({
    status: 409,
    code: 'CONFLICT',
    id: answer.json().id,
  });
});

test.for([
  ['no command', { comando: [] }, 400],
  ['a NUL in the command', { comando: ['a\u0000b'] }, 400],
  ['no variable of an environment', { ambiente: { '1A': 'x' } }, 400],
  ['an unknown field', { segredo: 'x' }, 400],
  ['a key over lines', { chave: 'a\nb' }, 400],
  ['half a processor', { limites: { cpus: 0.5 } }, 400],
  ['more than the cluster takes', { limites: { cpus: 5 } }, 413],
  ['another cluster', { cluster: 'lua' }, 404],
  ['an image that is an option', { imagem: '--privileged' }, 400],
  ['a path that leads out', { entradas: [{ caminho: '../a', sha: sha('x') }] }, 400],
  ['a path that reads otherwise than it is', { entradas: [{ caminho: 'gnp.\u202eexe', sha: sha('x') }] }, 400],
  ['a name that reads otherwise than it is', { nome: 'soma\u202e' }, 400],
  ['a name that moves a terminal', { nome: 'soma\u009b2J' }, 400],
  ['a key with tag characters', { chave: 'a\u{e0041}' }, 400],
  ['an absolute path', { entradas: [{ caminho: '/etc/passwd', sha: sha('x') }] }, 400],
  ['one path twice', { entradas: ['a', 'a'].map((caminho) => ({ caminho, sha: sha('x') })) }, 400],
  ['a file that is a folder too', { entradas: ['a/b', 'a'].map((caminho) => ({ caminho, sha: sha('x') })) }, 400],
  ['an input that is not there', { entradas: [{ caminho: 'a', sha: sha('x') }] }, 409],
] as const)('%s is refused', async ([, over, status]) => {
  const answer = await submit(over);
  expect([answer.status, answer.json().detail]).toEqual([status, expect.any(String)]);
});

test('an input comes in pieces; the person has only so much space', async () => {
  const text = 'a'.repeat(300);
  const half = await put(text.slice(0, 150), { tamanho: 300, name: sha(text) });
  expect(half.json()).toEqual({ ate: 150, completo: false });
  expect((await submit({ entradas: [{ caminho: 'a', sha: sha(text) }] })).json()).toMatchObject({
    code: 'INPUT_MISSING',
    faltam: [sha(text)],
  });
  expect((await ana.call('GET', `/api/fila/entradas/${sha(text)}?app=notas`)).json()).toEqual({ ate: 150, completo: false });
  expect((await put(text.slice(150), { desde: 150, tamanho: 301, name: sha(text) })).json().code).toBe('CONFLICT');
  expect((await put(text.slice(100), { desde: 100, tamanho: 300, name: sha(text) })).json()).toEqual({ ate: 300, completo: true });
  expect((await submit({ entradas: [{ caminho: 'a', sha: sha(text) }] })).status).toBe(201);
  const large = await put('b'.repeat(701));
  expect([large.status, large.json().code]).toEqual([507, 'SPACE_USED']);
  expect((await put('x', { name: sha('y') })).json().code).toBe('DIGEST_MISMATCH');
  expect((await ana.call('GET', '/api/fila?app=notas')).json().espaco).toEqual({ bytes: 301, bytesMax: 1_000 });
  expect(
    (await raw('PUT', `/api/fila/entradas/${sha(text)}?app=notas&desde=0&tamanho=300`, text, { 'content-encoding': 'gzip' })).status,
  ).toBe(400);
});

test('what the wrapper says is taken once, never goes back, and is refused where it is no report', async () => {
  const { id } = (await submit()).json() as JobView;
  const ask = await wrapper(id);
  const enqueued: string[] = [];
  const off = world.bus.onEnqueue((key) => enqueued.push(key));
  const beat = async (body: string): Promise<number> => (await ask('POST', '/batida', body)).status;
  expect([
    await beat('estado=iniciado\n'),
    await beat('estado=a-correr\nprogresso=0.25\n'),
    await beat('estado=a-correr\nprogresso=0.5\n'),
    await beat('estado=iniciado\n'),
  ]).toEqual([200, 204, 204, 204]);
  off();
  // Progress alone wakes no decision.
  expect(enqueued).toEqual([`Job/${id}`, `Job/${id}`]);
  expect((await ana.call('GET', `/api/fila/trabalhos/${id}?app=notas`)).json()).toMatchObject({
    progresso: 0.5,
    iniciadoEm: expect.any(Number),
  });
  expect((await world.store.jobs.job(id))?.report).toMatchObject({ estado: 'a-correr', codigo: null });
  for (const wrong of ['estado=feito\ncodigo=x', 'codigo=256x', 'progresso=2', 'progresso=-1']) expect(await beat(wrong)).toBe(400);
  expect(await beat('x'.repeat(5_000))).toBe(413);
  await ana.call('DELETE', `/api/fila/trabalhos/${id}?app=notas`);
  expect(await beat('estado=a-correr\n')).toBe(410);
});

test('outputs that do not fit are told, the others come in, and are read also while the job runs', async () => {
  const { id } = (await submit()).json() as JobView;
  const ask = await wrapper(id);
  const line = (text: string, path: string): string => `${sha(text)}\t${text.length}\tsaida/${path}\n`;
  const wanted = await ask('POST', '/saidas', line('abc', 'a%20b.txt') + line('z'.repeat(900), 'large'));
  expect([wanted.status, wanted.text]).toEqual([200, `${sha('abc')}\t0\n`]);
  expect((await ask('PUT', `/saidas/${sha('abc')}?desde=0`, 'ab')).json()).toEqual({ ate: 2, completo: false });
  expect((await ask('POST', '/saidas', line('abc', 'a%20b.txt'))).text).toBe(`${sha('abc')}\t2\n`);
  expect((await ask('PUT', `/saidas/${sha('z'.repeat(900))}?desde=0`, 'z')).status).toBe(404);
  expect((await ask('PUT', `/saidas/${sha('abc')}?desde=1`, 'bc')).json()).toEqual({ ate: 3, completo: true });
  expect((await ask('POST', '/saidas', line('abc', 'a%20b.txt'))).text).toBe('');
  // A newer file in its place: the bytes before are of no use any more, and are wanted again if they come back.
  expect((await ask('POST', '/saidas', line('abcd', 'a%20b.txt'))).text).toBe(`${sha('abcd')}\t0\n`);
  expect(existsSync(path.join(world.dir, 'fila/trabalhos', id, sha('abc')))).toBe(false);
  expect((await ask('POST', '/saidas', line('abc', 'a%20b.txt'))).text).toBe(`${sha('abc')}\t0\n`);
  expect((await ask('PUT', `/saidas/${sha('abc')}?desde=0`, 'abc')).json()).toEqual({ ate: 3, completo: true });
  const output = await ana.call('GET', `/api/fila/trabalhos/${id}/saida/a%20b.txt?app=notas`);
  expect([output.text, output.headers['content-disposition'], output.headers['content-type']]).toEqual([
    'abc',
    'attachment',
    'application/octet-stream',
  ]);
  for (const wrong of [
    'x\t1\tsaida/a\n',
    `${sha('a')}\t1\t../a\n`,
    `${sha('a')}\t1\tsaida/../a\n`,
    `${sha('a')}\t1\tentrada/a\n`,
    line('a', 'a') + line('b', 'a'),
    `${sha('a')}\t-1\tsaida/a\n`,
  ])
    expect((await ask('POST', '/saidas', wrong)).status).toBe(400);
});

test('a log is read piece by piece', async () => {
  const { id } = (await submit()).json() as JobView;
  const ask = await wrapper(id);
  expect((await ask('PUT', '/registo?desde=0', 'one\n')).json()).toEqual({ ate: 4 });
  expect((await ask('PUT', '/registo?desde=2', 'e\ntwo\n')).json()).toEqual({ ate: 8 });
  const log = async (from: number) => {
    const { text, headers } = await ana.call('GET', `/api/fila/trabalhos/${id}/registo?app=notas&desde=${from}`);
    return [text, headers['svc-registo-ate']];
  };
  expect([await log(0), await log(4), await log(8), await log(99)]).toEqual([
    ['one\ntwo\n', '8'],
    ['two\n', '8'],
    ['', '8'],
    ['', '99'],
  ]);
});

test('a question is held until the job changed, or its time is over', async () => {
  const { id } = (await submit()).json() as JobView;
  const path = `/api/fila/trabalhos/${id}?app=notas`;
  const { etag = '' } = (await ana.call('GET', path)).headers;
  const ask = (): Promise<Answer> =>
    ana.request(`${path}&espera=30`, { headers: { origin: world.url, 'sec-fetch-site': 'same-origin', 'if-none-match': etag } });
  expect((await ana.request(path, { headers: { 'if-none-match': etag } })).status).toBe(304);
  let isAnswered = false;
  const late = ask().finally(() => {
    isAnswered = true;
  });
  await expect
    .poll(() => {
      (world.clock as ManualClock).advance(31_000);
      return isAnswered;
    })
    .toBe(true);
  expect((await late).status).toBe(304);
  const held = ask();
  await new Promise((resolve) => setTimeout(resolve, 50));
  await ana.call('DELETE', path);
  world.bus.jobChanged({ id, usuario: 'ana', app: 'notas' });
  const answer = await held;
  expect([answer.status, answer.json().cancelamento, answer.headers.etag === etag]).toEqual([200, true, false]);
});

test('pages hear of their jobs twice a second at most', () => {
  const told: string[] = [];
  const off = world.bus.onPublish((person, event) => void (event.type === 'trabalhos' && told.push(person)));
  for (let n = 0; n < 50; n += 1) world.bus.jobChanged({ id: 'j1', usuario: 'ana', app: 'notas' });
  world.bus.jobChanged({ id: 'j2', usuario: '', app: 'notas' });
  (world.clock as ManualClock).advance(500);
  off();
  expect(told).toEqual(['ana']);
});

test('a server-scope app that asks for itself has jobs of its own', async () => {
  const token = randomBytes(32).toString('base64url');
  await world.store.rooms.putPortalToken({
    tokenHash: sha(token),
    usuario: '@casa',
    app: 'notas',
    scopes: ['fila'],
    startHash: 's',
    atMs: 0,
  });
  const headers = { host: `127.0.0.1:${world.port}`, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const made = await world
    .browser()
    .request('/api/fila/trabalhos', { method: 'POST', headers, body: JSON.stringify({ chave: 'a', comando: ['x'] }) });
  expect([made.status, made.json()]).toMatchObject([201, { usuario: '@casa', app: 'notas' }]);
  expect((await world.browser().request(`/api/fila/trabalhos/${made.json().id}`, { headers })).status).toBe(200);
  expect((await ana.call('GET', `/api/fila/trabalhos/${made.json().id}?app=notas`)).status).toBe(404);
});

test('a list beyond one page says so, and each job is in one of the pages; a page after a job that is gone is no empty one', async () => {
  const other = await createPortalWorld({ manifests: { notas: { recursos: { fila: true } } } });
  try {
    const page = await other.signedIn('ana');
    const request = { imagem: null, comando: ['true'], ambiente: {}, limites: { cpus: 1, memoriaMb: 1, segundos: 1, gpus: 0 } };
    const ids = Array.from({ length: 401 }, (_, at) => `j${String(at).padStart(20, '0')}`);
    await Promise.all(
      ids.map((id, at) =>
        other.store.jobs.submitJob(
          { id, usuario: 'ana', app: 'notas', chave: id, nome: '', cluster: 'local', createdAtMs: at, request, inputs: [] },
          { ofPerson: 1_000 },
        ),
      ),
    );
    const read = async (antes = ''): Promise<{ trabalhos: JobView[]; mais: boolean }> =>
      (await page.call('GET', `/api/fila?app=notas${antes === '' ? '' : `&antes=${antes}`}`)).json();
    const pages = [await read()];
    while (pages.at(-1)?.mais === true) pages.push(await read(pages.at(-1)?.trabalhos.at(-1)?.id));
    expect(pages.map(({ trabalhos }) => trabalhos.length)).toEqual([200, 200, 1]);
    expect(pages.flatMap(({ trabalhos }) => trabalhos.map(({ id }) => id))).toEqual(ids.toReversed());
    await other.store.jobs.dropJob(ids[201] ?? '', 1);
    expect((await page.call('GET', `/api/fila?app=notas&antes=${ids[201]}`)).status).toBe(404);
    const admin = await other.signedIn('bia', { admin: true });
    expect((await admin.call('GET', `/api/admin/fila?antes=${ids[202]}`)).json()).toMatchObject({ mais: true, trabalhos: { length: 200 } });
    expect((await admin.call('GET', `/api/admin/fila?antes=${ids[201]}`)).status).toBe(404);
    expect((await admin.call('GET', `/api/fila?antes=${ids[202]}`)).status).toBe(404);
  } finally {
    await other.close();
  }
});

test('a job whose app was removed is seen, read, cancelled and ends for its person; the app gets no new one, and is told why', async () => {
  const id = `j${'r'.repeat(20)}`;
  const request = { imagem: null, comando: ['true'], ambiente: {}, limites: { cpus: 1, memoriaMb: 1, segundos: 1, gpus: 0 } };
  const made = { id, usuario: 'ana', app: 'removido', chave: id, nome: 'soma', cluster: 'local', createdAtMs: 1, request, inputs: [] };
  await world.store.jobs.submitJob(made, { ofPerson: 10_000 });
  const ask = await wrapper(id);
  expect((await ask('POST', '/batida', 'estado=a-correr\n')).status).toBe(204);
  const output = sha('42');
  expect((await ask('POST', '/saidas', `${output}\t2\tsaida/n\n`)).status).toBe(200);
  expect((await ask('PUT', `/saidas/${output}?desde=0`, '42')).json()).toEqual({ ate: 2, completo: true });
  expect((await ana.call('GET', `/api/fila/trabalhos/${id}`)).json()).toMatchObject({ app: 'removido', terminadoEm: null });
  expect((await ana.call('GET', `/api/fila/trabalhos/${id}/saida/n`)).text).toBe('42');
  expect((await ana.call('POST', `/api/fila/trabalhos/${id}/repetir`, { chave: 'again' })).json()).toMatchObject({
    status: 404,
    error: expect.stringContaining('não está instalado'),
  });
  expect((await ana.call('DELETE', `/api/fila/trabalhos/${id}`)).json()).toMatchObject({ cancelamento: true });
  expect((await ask('POST', '/batida', 'estado=a-correr\n')).status).toBe(410);
  const outcome = { estado: 'cancelado', reason: 'JobCancelled', message: '', codigo: 143, iniciadoEm: 1, terminadoEm: 2 } as const;
  await world.store.jobs.settleJob(id, outcome, { atMs: 2, expiresAtMs: 3 });
  expect((await ana.call('GET', `/api/fila/trabalhos/${id}/saida/n`)).text).toBe('42');
});

test('a key whose job is not kept any more runs nothing again, and says so', async () => {
  const first = (await submit({ chave: 'para sempre' })).json() as JobView;
  await world.store.jobs.dropJob(first.id, 1);
  expect((await submit({ chave: 'para sempre' })).json()).toMatchObject({
    status: 409,
    code: 'CONFLICT',
    id: first.id,
    error: expect.stringContaining('does not run again'),
  });
});

test('as many inputs as a job may have fit in its submission', async () => {
  const there = sha('tudo');
  await put('tudo');
  const entradas = Array.from({ length: 1_000 }, (_, n) => ({ caminho: `entrada/${'p'.repeat(100)}/${n}.txt`, sha: there }));
  expect((await submit({ entradas })).status).toBe(201);
  const more = await submit({ entradas: [...entradas, { caminho: 'entrada/mais', sha: there }] });
  expect([more.status, JSON.stringify(more.json())]).toEqual([400, expect.stringContaining('entradas')]);
});
