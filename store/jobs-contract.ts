/** Contract of every store for the queue, as one suite; store-contract.ts runs it. */
import { expect, test } from 'vitest';
import type { JobOutcome } from '../schema/jobs.ts';
import { newJobId, type JobStore, type NewJob } from './jobs.ts';
import { limits } from './limits.ts';
import type { RoomStore } from './rooms.ts';
import type { Store } from './store.ts';

const request = { imagem: null, comando: ['true'], ambiente: {}, limites: { cpus: 2, memoriaMb: 64, segundos: 60, gpus: 0 } } as const;
const sha = (digit: string): string => digit.repeat(64);
const outcome: JobOutcome = { estado: 'terminado', reason: 'JobDone', message: 'exit code 0', codigo: 0, iniciadoEm: 3, terminadoEm: 9 };

export function jobTests(whole: () => Pick<Store, 'jobs' | 'rooms'>): void {
  const parts = partsOf(() => whole().jobs);
  noticeTests(parts, () => whole().rooms);
  submissionTests(parts);
  stepTests(parts);
  listTests(parts);
  fileTests(parts);
}

interface Parts {
  readonly store: () => JobStore;
  readonly job: (over?: Partial<NewJob>) => NewJob;
  readonly put: (over?: Partial<NewJob>) => Promise<string>;
  readonly upload: (digit: string, bytes: number, over?: { readonly usuario?: string; readonly app?: string }) => Promise<string>;
}

function partsOf(store: () => JobStore): Parts {
  const job = (over: Partial<NewJob> = {}): NewJob => {
    const id = newJobId();
    return { id, usuario: 'ana', app: 'notas', chave: id, nome: 'n', cluster: 'forno', createdAtMs: 1, request, inputs: [], ...over };
  };
  const put = async (over: Partial<NewJob> = {}): Promise<string> => {
    const made = await store().submitJob(job(over), { ofPerson: 100 });
    if (made.kind !== 'new') throw new Error(made.kind);
    return made.job.id;
  };
  const upload = async (digit: string, bytes: number, over: { readonly usuario?: string; readonly app?: string } = {}): Promise<string> => {
    const name = { usuario: 'ana', app: 'notas', sha: sha(digit), ...over };
    await store().reserveInput({ ...name, bytes, atMs: 5 }, 1_000);
    await store().completeInput(name);
    return name.sha;
  };
  return { store, job, put, upload };
}

function submissionTests({ store, job, put, upload }: Parts): void {
  test('a key names one job of a person and an app, however often it comes', async () => {
    const first = await store().submitJob(job({ chave: 'k' }), { ofPerson: 100 });
    const again = await store().submitJob(job({ chave: 'k' }), { ofPerson: 100 });
    expect([first.kind, again.kind]).toEqual(['new', 'known']);
    expect('job' in again && 'job' in first && again.job).toEqual('job' in first && first.job);
    // It stays of the request that made it.
    expect((await store().submitJob(job({ chave: 'k', requestId: 'again' }), { ofPerson: 100 })) as object).toMatchObject({
      kind: 'known',
      job: { requestId: null },
    });
    const both = await Promise.all([job({ chave: 'm' }), job({ chave: 'm' })].map((each) => store().submitJob(each, { ofPerson: 100 })));
    expect(both.map(({ kind }) => kind)).toEqual(['new', 'known']);
    for (const other of [
      { request: { ...request, comando: ['false'] } },
      { cluster: 'other' },
      { inputs: [{ caminho: 'a', sha: await upload('a', 1) }] },
    ])
      expect((await store().submitJob(job({ chave: 'k', ...other }), { ofPerson: 100 })).kind).toBe('other');
    for (const other of [{ usuario: 'bia' }, { app: 'relogio' }])
      expect((await store().submitJob(job({ chave: 'k', ...other }), { ofPerson: 100 })).kind).toBe('new');
    expect((await store().submitJob(job(), { ofPerson: 2 })).kind).toBe('full');
  });

  test('a person has at most so many jobs; one that goes makes room for one', async () => {
    const [first] = [await put(), await put()];
    const next = async (over: Partial<NewJob> = {}): Promise<string> => (await store().submitJob(job(over), { ofPerson: 2 })).kind;
    expect([await next(), await next({ usuario: 'bia' })]).toEqual(['full', 'new']);
    await store().dropJob(first, 1);
    expect([await next(), await next(), await next({ usuario: 'bia' }), await next({ usuario: 'bia' })]).toEqual([
      'new',
      'full',
      'new',
      'full',
    ]);
  });

  test('a key of a job that is not kept any more names no other one, for its time, and of that person and app only', async () => {
    const id = await put({ chave: 'k' });
    await store().dropJob(id, 1_000);
    expect(await store().submitJob(job({ chave: 'k' }), { ofPerson: 9 })).toEqual({ kind: 'gone', id });
    for (const other of [{ chave: 'm' }, { chave: 'k', usuario: 'bia' }, { chave: 'k', app: 'relogio' }])
      expect((await store().submitJob(job(other), { ofPerson: 9 })).kind).toBe('new');
    await store().dropJob(await put(), 1_000 + limits.jobKeyKeptMs);
    expect(await store().submitJob(job({ chave: 'k' }), { ofPerson: 9 })).toEqual({ kind: 'gone', id });
    await store().dropJob(await put(), 1_001 + limits.jobKeyKeptMs);
    expect((await store().submitJob(job({ chave: 'k' }), { ofPerson: 9 })).kind).toBe('new');
  });

  test('its inputs have to be there whole, of that person and app', async () => {
    await upload('a', 3);
    await store().reserveInput({ usuario: 'ana', app: 'notas', sha: sha('b'), bytes: 4, atMs: 5 }, 1_000);
    await upload('c', 5, { usuario: 'bia' });
    await upload('d', 5, { app: 'relogio' });
    const inputs = ['a', 'b', 'b', 'c', 'd'].map((digit, at) => ({ caminho: `p${at}`, sha: sha(digit) }));
    expect(await store().submitJob(job({ inputs }), { ofPerson: 9 })).toEqual({ kind: 'missing', shas: [sha('b'), sha('c'), sha('d')] });
    const id = await put({ inputs: inputs.slice(0, 1) });
    expect(await store().jobInputs(id)).toEqual([{ caminho: 'p0', sha: sha('a'), bytes: 3 }]);
    expect(await store().jobRequest(id)).toEqual(request);
    expect(await store().jobRequest('j0')).toBeNull();
  });
}

function stepTests({ store, put }: Parts): void {
  test('each step is one column, and each change has a number of its own', async () => {
    const id = await put({ createdAtMs: 7, requestId: 'r7' });
    const fresh = await store().job(id);
    expect(fresh).toMatchObject({
      usuario: 'ana',
      app: 'notas',
      nome: 'n',
      cluster: 'forno',
      cpus: 2,
      requestId: 'r7',
      createdAtMs: 7,
      releasedAtMs: null,
      attemptAtMs: null,
      acceptedAtMs: null,
      cancelAtMs: null,
      report: null,
      startedAtMs: null,
      logBytes: 0,
      outcome: null,
      forgottenAtMs: null,
      expiresAtMs: null,
    });
    await store().releaseJobs([id], 10);
    await store().noteAttempt(id, 11, { tokenHash: 'hash', engine: 'one' });
    // Which engine has it is settled by the first attempt.
    await store().noteAttempt(id, 11, { tokenHash: 'other', engine: 'two' });
    await store().acceptJob(id, 12);
    await store().acceptJob(id, 13);
    await store().reportJob(id, { estado: 'a-correr', codigo: null, progresso: 0.5, atMs: 14 });
    await store().reportJob(id, { estado: 'terminado', codigo: 0, progresso: null, atMs: 15 });
    await store().noteLog(id, 99);
    const under = await store().job(id);
    expect(under).toMatchObject({
      releasedAtMs: 10,
      attemptAtMs: 11,
      engine: 'one',
      acceptedAtMs: 12,
      startedAtMs: 14,
      logBytes: 99,
      report: { estado: 'terminado', codigo: 0, progresso: 0.5, atMs: 15 },
    });
    expect(await store().jobOfToken('hash')).toBe(id);
    expect(await store().cancelJob(id, 16)).toBe(true);
    await store().settleJob(id, outcome, { atMs: 9, expiresAtMs: 50 });
    await store().settleJob(id, { ...outcome, estado: 'falhou' }, { atMs: 9, expiresAtMs: 60 });
    await store().noteForgotten(id, 17);
    // Reports after the end change nothing.
    expect(await store().cancelJob(id, 18)).toBe(false);
    await store().reportJob(id, { estado: 'iniciado', codigo: 9, progresso: 1, atMs: 19 });
    await store().releaseJobs([id], 20);
    const over = await store().job(id);
    expect(over).toMatchObject({
      outcome,
      expiresAtMs: 50,
      cancelAtMs: 16,
      forgottenAtMs: 17,
      releasedAtMs: 10,
      report: { estado: 'terminado', atMs: 15 },
    });
    expect(await store().jobOfToken('hash')).toBeNull();
    expect([fresh, under, over].map((row) => row?.change)).toEqual(
      [fresh, under, over].map((row) => row?.change).toSorted((a = 0, b = 0) => a - b),
    );
    const other = await put();
    expect((await store().jobChanges(over?.change ?? 0, 10)).map((row) => row.id)).toEqual([other]);
    expect((await store().jobChanges(0, 1)).map((row) => row.id)).toEqual([id]);
    expect(await store().cancelJob('j0', 1)).toBe(false);
  });
}

function noticeTests({ store, put }: Parts, rooms: () => RoomStore): void {
  const end = async (over: Partial<NewJob>, estado: JobOutcome['estado'], atMs: number): Promise<readonly [string, string | null]> => {
    const id = await put(over);
    return [id, await store().settleJob(id, { ...outcome, estado }, { atMs, expiresAtMs: 10 ** 9 })];
  };
  const bell = async (usuario = 'ana') =>
    (await rooms().notices(usuario)).map(({ app, tipo, texto, trabalho, atMs, read }) => [app, tipo, texto, trabalho, atMs, read]);

  test('an outcome is in the bell with it, once; jobs of an app that end in a row are one notice with a count', async () => {
    const [first, told] = await end({ nome: 'soma' }, 'terminado', 1_000);
    expect(told).toBe('ana');
    const one = ['notas', 'trabalho', 'soma', { id: first, estado: 'terminado', quantos: 1, falharam: 0 }, 1_000, false];
    expect(await bell()).toEqual([one]);
    expect(await store().settleJob(first, { ...outcome, estado: 'falhou' }, { atMs: 2_000, expiresAtMs: 1 })).toBeNull();
    expect(await bell()).toEqual([one]);
    const [second] = await end({ nome: 'conta' }, 'falhou', 1_000 + limits.jobNoticeMs);
    const both = [
      'notas',
      'trabalho',
      'conta',
      { id: second, estado: 'falhou', quantos: 2, falharam: 1 },
      1_000 + limits.jobNoticeMs,
      false,
    ];
    expect(await bell()).toEqual([both]);
    // Too late for the first one; then of another app, and after it was read.
    const later = 2_000 + limits.jobNoticeMs;
    await end({}, 'cancelado', later);
    await end({ app: 'relogio' }, 'terminado', later + 1);
    expect((await bell()).map(([app]) => app)).toEqual(['relogio', 'notas', 'notas']);
    await rooms().markRead('ana', null);
    await end({ app: 'relogio' }, 'terminado', later + 2);
    expect(await rooms().unread('ana')).toBe(1);
    // The clock was set back: it counts from itself.
    await end({ app: 'relogio' }, 'terminado', 5);
    expect(await rooms().unread('ana')).toBe(2);
  });

  test('nobody is told of jobs of who left, nor of an app that asked for itself', async () => {
    expect((await end({ usuario: '@casa' }, 'terminado', 1))[1]).toBeNull();
    const id = await put();
    await store().forgetJobsOf('ana', 1);
    expect(await store().settleJob(id, outcome, { atMs: 2, expiresAtMs: 3 })).toBeNull();
    expect([await bell(), await bell('@casa'), await bell('')]).toEqual([[], [], []]);
  });
}

function listTests({ store, put }: Parts): void {
  test('jobs are listed the newest first, by person, app and cluster, page by page', async () => {
    const ids = [
      await put({ createdAtMs: 1 }),
      await put({ createdAtMs: 2, app: 'relogio' }),
      await put({ createdAtMs: 3, cluster: 'other' }),
      await put({ createdAtMs: 4, usuario: 'bia' }),
    ];
    const list = async (over: object): Promise<readonly number[]> =>
      (await store().jobs({ usuario: null, app: null, cluster: null, before: null, limit: 9, ...over })).map((row) => ids.indexOf(row.id));
    expect(await list({})).toEqual([3, 2, 1, 0]);
    expect(await list({ usuario: 'ana' })).toEqual([2, 1, 0]);
    expect(await list({ usuario: 'ana', app: 'notas' })).toEqual([2, 0]);
    expect(await list({ cluster: 'forno' })).toEqual([3, 1, 0]);
    expect(await list({ limit: 2 })).toEqual([3, 2]);
    expect(await list({ before: ids[2] })).toEqual([1, 0]);
  });
}

function fileTests({ store, job, put, upload }: Parts): void {
  test('inputs, outputs and logs of a person count together, equal bytes of one job once', async () => {
    await upload('a', 300);
    expect(await store().reserveInput({ usuario: 'ana', app: 'notas', sha: sha('a'), bytes: 301, atMs: 6 }, 1_000)).toBe('differs');
    expect(await store().reserveInput({ usuario: 'ana', app: 'notas', sha: sha('b'), bytes: 701, atMs: 6 }, 1_000)).toBe('full');
    expect(await store().reserveInput({ usuario: 'bia', app: 'notas', sha: sha('b'), bytes: 701, atMs: 6 }, 1_000)).toBe('ok');
    const id = await put();
    await store().noteLog(id, 100);
    const file = (caminho: string, digit: string, bytes: number) => ({ caminho, sha: sha(digit), bytes });
    const announced = await store().announceOutputs(
      id,
      [file('x', 'c', 400), file('y', 'c', 400), file('z', 'd', 201), file('zz', 'e', 200)],
      1_000,
    );
    expect(announced.map(({ caminho, refused, complete }) => [caminho, refused, complete])).toEqual([
      ['x', false, false],
      ['y', false, false],
      ['z', true, false],
      ['zz', false, false],
    ]);
    expect(await store().jobSpace('ana')).toBe(300 + 100 + 400 + 200);
    await store().completeOutput(id, sha('c'));
    // Announced anew: what is here whole stays so, what is named no more goes.
    const again = await store().announceOutputs(id, [file('w', 'c', 400), file('v', 'f', 1)], 1_000);
    expect(again).toEqual([
      { ...file('v', 'f', 1), complete: false, refused: false },
      { ...file('w', 'c', 400), complete: true, refused: false },
    ]);
    expect(await store().outputs(id)).toEqual(again);
    expect(await store().jobSpace('ana')).toBe(300 + 100 + 401);
    expect(await store().announceOutputs('j0', [file('a', 'a', 1)], 10)).toEqual([]);
    expect([await store().input('ana', 'notas', sha('a')), await store().input('ana', 'notas', sha('9'))]).toEqual([
      { bytes: 300, complete: true },
      null,
    ]);
  });

  test('what nothing refers to any more is left over, and only that', async () => {
    await upload('a', 1);
    await upload('b', 1);
    await upload('c', 1, { app: 'relogio' });
    const id = await put({ inputs: [{ caminho: 'p', sha: sha('a') }] });
    expect(await store().expireInputs(5, 9)).toBe(0);
    expect(await store().expireInputs(6, 9)).toBe(2);
    expect(await store().leftovers(9)).toEqual([
      { kind: 'input', name: `ana/notas/${sha('b')}` },
      { kind: 'input', name: `ana/relogio/${sha('c')}` },
    ]);
    await store().dropJob(id, 1);
    expect([await store().job(id), await store().jobInputs(id), await store().jobRequest(id)]).toEqual([null, [], null]);
    expect(await store().expireInputs(6, 9)).toBe(1);
    for (const each of await store().leftovers(9)) await store().forgetLeftover(each);
    expect(await store().leftovers(9)).toEqual([]);
  });

  test('who leaves takes their inputs along, and their jobs belong to nobody and are to end', async () => {
    await upload('a', 1);
    const [open, over] = [await put({ chave: 'k' }), await put()];
    await store().settleJob(over, outcome, { atMs: 9, expiresAtMs: 99 });
    const others = await put({ usuario: 'bia' });
    expect((await store().forgetJobsOf('ana', 20)).toSorted()).toEqual([open, over].toSorted());
    expect(await store().job(open)).toMatchObject({ usuario: '', cancelAtMs: 20, expiresAtMs: 20 });
    expect(await store().job(over)).toMatchObject({ usuario: '', cancelAtMs: null, expiresAtMs: 20 });
    expect(await store().job(others)).toMatchObject({ usuario: 'bia' });
    expect([await store().input('ana', 'notas', sha('a')), await store().jobSpace('ana')]).toEqual([null, 0]);
    expect(await store().leftovers(9)).toEqual([{ kind: 'input', name: `ana/notas/${sha('a')}` }]);
    // A later person of the same name begins with no jobs.
    expect((await store().submitJob(job({ chave: 'k' }), { ofPerson: 1 })).kind).toBe('new');
  });
}
