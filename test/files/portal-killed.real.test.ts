/**
 * The whole of `svc up`, over a real sshd, is killed while a person saves, uploads, renames, moves to another file system, copies, deletes, restores
 * and unpacks, all at once: at moments that a seed says, and at the fault points of files. After a restart each file is the old or the new one, the
 * trash lost nothing, the upload goes on, and what is left beside is removed. SVC_TEST_LONG=1 takes every point and thirty moments.
 */
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { fileFaultPoints } from '../../controller/faults.ts';
import { tellCount } from '../support/counts.ts';
import { mountTmpfs, unmount } from '../support/mounts.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { startSshd, type TestSshd } from '../support/sshd.ts';
import { faultAfter, newText, oldText, prepare } from './support/acts.ts';
import { bytesBy, query, type Bytes } from './support/files-world.ts';

const seed = Number(process.env['FC_SEED'] ?? process.env['SVC_TEST_RUN_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const isLong = process.env['SVC_TEST_LONG'] === '1';
const rounds = roundsOf();
let sshd: TestSshd;
let portal: RunningPortal;
let browser: Browser;
let state: string;
let disk: string;
let [kills, resumed] = [0, 0];
const met = new Set<string>();
/** Distinguished by the round. */
let home: string;
let uid: number;

interface Round {
  /** The portal kills itself there; null: it is killed after `afterMs`. */
  readonly point: string | null;
  readonly afterMs: number;
}

function roundsOf(): readonly Round[] {
  const moment = (n: number): number => ((seed % 9_973) * 7_919 + n * 104_729) % 500;
  const moments = Array.from({ length: isLong ? 30 : 1 }, (_, n) => ({ point: null, afterMs: moment(n) }));
  const points = fileFaultPoints.filter((_, at) => isLong || at % 8 === seed % 8);
  return [...moments, ...points.map((point) => ({ point, afterMs: 0 }))];
}

beforeAll(async () => {
  sshd = await startSshd({ accounts: 1, config: ['Subsystem sftp internal-sftp'] });
  const [account] = sshd.accounts;
  if (account === undefined) throw new Error('no account');
  ({ home, uid } = account);
  disk = `${sshd.dir}/disco`;
  await mountTmpfs(disk, 'size=512m,mode=0777');
  state = await mkdtemp(join(tmpdir(), 'svcf-'));
  const ssh = { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey, key: { file: sshd.keyFile }, kit: sshd.kit, prefix: sshd.dir };
  const documents = [
    'kind: Portal\nmetadata: { name: casa }\nspec: {}',
    `kind: Server\nmetadata: { name: sirius }\nspec: ${JSON.stringify({ ssh })}`,
    `kind: Person\nmetadata: { name: ana }\nspec: { nome: Ana, login: ana, server: sirius, account: ${account.name} }`,
  ];
  mkdirSync(`${state}/d`);
  writeFileSync(`${state}/d/all.yaml`, documents.map((text) => `apiVersion: svc/v1\n${text}\n`).join('---\n'));
  portal = await startPortal({ desired: `${state}/d`, state: `${state}/s` });
  browser = createBrowser(at().portal);
  const { link } = (await portal.admin('POST', '/api/admin/links', { person: 'ana' })).body as { link: string };
  const { pathname, search } = new URL(link);
  await browser.request(pathname + search, { headers: navigation });
});
afterAll(async () => {
  await portal?.stop();
  if (disk !== undefined) await unmount(disk);
  await sshd?.stop();
  if (state !== undefined) await rm(state, { recursive: true, force: true });
  tellCount(
    `files: svc up was killed ${kills} times under 8 acts each, at ${met.size} fault points; ${resumed} uploads went on; seed ${seed}`,
  );
});

const at = () => ({
  portal: { host: `svc.localhost:${portal.port}`, port: portal.port, url: `http://svc.localhost:${portal.port}`, received: [] },
});

async function call(method: string, path: string, body?: unknown): Promise<Bytes> {
  const isJson = body !== undefined && !(body instanceof Uint8Array) && !isBody(body);
  const headers = isJson ? { 'content-type': 'application/json' } : {};
  const bytes = isJson ? Buffer.from(JSON.stringify(body)) : (body as Uint8Array | AsyncIterable<Uint8Array> | undefined);
  const answer = await bytesBy(at(), browser, method, path, bytes === undefined ? { headers } : { headers, body: bytes });
  if (answer.status >= 300) throw new Error(`${method} ${path} answered ${answer.status}: ${answer.body.toString()}`);
  return answer;
}

const isBody = (body: unknown): boolean => typeof body === 'object' && body !== null && Symbol.asyncIterator in body;
const jsonOf = ({ body }: Bytes): unknown => JSON.parse(body.toString());

async function operate(order: object): Promise<string> {
  const { id } = jsonOf(await call('POST', '/api/arquivos/operacoes', order)) as { id: string };
  for (;;) {
    const view = jsonOf(await call('GET', `/api/arquivos/operacoes/${id}?espera=5`)) as {
      estado: string;
      erros: unknown[];
      resultados: { para: string }[];
    };
    if (view.estado === 'correndo') continue;
    expect(view.erros).toEqual([]);
    return view.resultados[0]?.para ?? '';
  }
}

/** Half of it, and the rest once the portal is gone, which nobody reads then. */
async function* broken(gone: Promise<unknown>, isWhole: boolean): AsyncGenerator<Uint8Array> {
  yield Buffer.from(newText.slice(0, newText.length / 2));
  if (!isWhole) await gone;
  yield Buffer.from(newText.slice(newText.length / 2));
}

interface Work {
  readonly folder: (act: string) => string;
  readonly other: (act: string) => string;
  upload: string | null;
}

const acts = ['save', 'upload', 'rename', 'moveFolder', 'copy', 'trash', 'restore', 'unpack'] as const;

async function prepared(n: number): Promise<Work> {
  const own = (path: string): void => chownSync(path, uid, uid);
  const work: Work = { folder: (act) => `${home}/r${n}/${act}`, other: (act) => `${disk}/r${n}/${act}/pasta`, upload: null };
  for (const act of acts) {
    prepare(work.folder(act), own);
    prepare(dirname(work.other(act)), own);
  }
  own(`${home}/r${n}`);
  return work;
}

/** All at once; `restored`: the id of what is in the trash already. */
function begun(work: Work, restored: string, gone: Promise<unknown>, isWhole: boolean): readonly Promise<unknown>[] {
  const path = (act: string, name = 'a'): string => `${work.folder(act)}/${name}`;
  const upload = async (): Promise<void> => {
    const order = { caminho: path('upload'), bytes: newText.length, conflito: 'substituir' };
    const { id } = jsonOf(await call('POST', '/api/arquivos/envios', order)) as { id: string };
    work.upload = id;
    await call('PUT', `/api/arquivos/envios/${id}?desde=0`, broken(gone, isWhole));
    await call('POST', `/api/arquivos/envios/${id}/fim`, {});
  };
  return [
    upload(),
    call('PUT', `/api/arquivos/conteudo?${query(path('save'))}`, Buffer.from(newText)),
    call('POST', '/api/arquivos/renomear', { caminho: path('rename'), nome: 'b' }),
    operate({ tipo: 'mover', itens: [path('moveFolder', 'pasta')], destino: work.other('moveFolder') }),
    operate({ tipo: 'copiar', itens: [path('copy', 'pasta')], destino: work.other('copy') }),
    operate({ tipo: 'lixo', itens: [path('trash')] }),
    operate({ tipo: 'restaurar', itens: [restored] }),
    operate({ tipo: 'extrair', itens: [path('unpack', 'pasta.tgz')] }),
  ];
}

/** Returns the faults, [] for none. The trash is that of the home. */
function judged(work: Work): readonly string[] {
  const whole = (folder: string): boolean =>
    ['um', 'dois'].every((name) => existsSync(`${folder}/${name}`) && readFileSync(`${folder}/${name}`, 'utf8') === oldText);
  const faults = (['save', 'upload', 'moveFolder', 'unpack'] as const).map((act) => faultAfter(act, work.folder(act), work.other(act)));
  const copy = `${work.other('copy')}/pasta`;
  if (!whole(`${work.folder('copy')}/pasta`) || (existsSync(copy) && !whole(copy))) faults.push('the copy is half, or its source is');
  const trash = `${home}/.local/share/Trash`;
  const inTrash = existsSync(`${trash}/files`) ? readdirSync(`${trash}/files`).filter((name) => !name.startsWith('.svc-')) : [];
  for (const name of inTrash) if (!existsSync(`${trash}/info/${name}.trashinfo`)) faults.push(`no note of ${name} in the trash`);
  const noted = (act: string): boolean =>
    inTrash.some(
      (name) =>
        readFileSync(`${trash}/info/${name}.trashinfo`, 'utf8').includes(`Path=${work.folder(act)}/a\n`) &&
        readFileSync(`${trash}/files/${name}`, 'utf8') === oldText,
    );
  for (const act of ['rename', 'trash', 'restore'] as const) {
    const there = ['a', 'b'].filter(
      (name) => existsSync(`${work.folder(act)}/${name}`) && readFileSync(`${work.folder(act)}/${name}`, 'utf8') === oldText,
    );
    if (there.length === 0 && !noted(act)) faults.push(`${act}: the file is nowhere`);
  }
  return faults.filter((fault) => fault !== null);
}

/** The upload goes on from what is there; a second save is whole. */
async function goesOn(work: Work): Promise<void> {
  const path = `${work.folder('upload')}/a`;
  if (work.upload !== null && readFileSync(path, 'utf8') === oldText) {
    const order = { caminho: path, bytes: newText.length, conflito: 'substituir', retomar: work.upload };
    const { recebidos } = jsonOf(await call('POST', '/api/arquivos/envios', order)) as { recebidos: number };
    await call('PUT', `/api/arquivos/envios/${work.upload}?desde=${recebidos}`, Buffer.from(newText.slice(recebidos)));
    await call('POST', `/api/arquivos/envios/${work.upload}/fim`, {});
    resumed += 1;
  }
  await call('PUT', `/api/arquivos/conteudo?${query(`${work.folder('save')}/a`)}`, Buffer.from(newText));
}

const isAlive = (): boolean => {
  try {
    process.kill(portal.pid, 0);
    return true;
  } catch {
    return false;
  }
};

const leftIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => /\/\.svc-envio-[^/]*$/.test(name));

test.for(rounds.map((round, n) => [round.point ?? `a moment`, n, round] as const))('killed at %s (%i)', async ([, n, round]) => {
  const work = await prepared(n);
  const restored = await operate({ tipo: 'lixo', itens: [`${work.folder('restore')}/a`] });
  if (round.point !== null) {
    await portal.kill();
    await portal.again({ SVC_FAULT_POINT: round.point });
  }
  let end = (): void => undefined;
  const gone = new Promise<void>((resolve) => (end = resolve));
  // At a point everything comes to its end, unless the portal does before.
  const acting = Promise.allSettled(begun(work, restored, gone, round.point !== null));
  if (round.point === null) await sleep(round.afterMs);
  else if ((await acting).some(({ status }) => status === 'rejected')) {
    await until('the portal to be gone', () => !isAlive());
    met.add(round.point);
  }
  await portal.kill();
  kills += 1;
  end();
  await acting;
  expect(judged(work)).toEqual([]);
  await portal.again({ SVC_FAULT_POINT: '' });
  await goesOn(work);
  expect(judged(work)).toEqual([]);
  // It may have been killed before an upload was begun.
  expect(work.upload === null ? newText : readFileSync(`${work.folder('upload')}/a`, 'utf8')).toBe(newText);
  expect(readFileSync(`${work.folder('save')}/a`, 'utf8')).toBe(newText);
});

test('what was left beside is removed when its folder is listed, days later', async () => {
  const folders = new Set<string>();
  for (const left of [...leftIn(home), ...leftIn(disk)]) {
    const old = Date.now() / 1_000 - 3 * 24 * 3_600;
    if (statSync(left).isFile() || statSync(left).isDirectory()) utimesSync(left, old, old);
    folders.add(dirname(left));
  }
  for (const folder of folders) await call('GET', `/api/arquivos/lista?${query(folder, { ocultos: '1' })}`);
  await until('nothing to be left', () => [...leftIn(home), ...leftIn(disk)].length === 0, 20_000).catch(() => undefined);
  expect([...leftIn(home), ...leftIn(disk)]).toEqual([]);
});
