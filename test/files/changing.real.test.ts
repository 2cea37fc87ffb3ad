/** Changes that pages make to a person's files, through a portal and a real sshd. */
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Browser } from '../../api/testing/portal-world.ts';
import type { OperationBody, OperationView } from '../../schema/wire/files.ts';
import { mountTmpfs, unmount } from '../support/mounts.ts';
import { bytesBy, createFilesWorld, query, type FilesWorld } from './support/files-world.ts';

let world: FilesWorld;
let ana: Browser;
let uid: number;
let home: string;
let dir: string;
let count = 0;

beforeAll(async () => {
  world = await createFilesWorld();
  ana = await world.portal.signedIn('ana');
  home = world.accounts[0]?.home ?? '';
  uid = world.accounts[0]?.uid ?? 0;
});
afterAll(() => world?.stop());
beforeEach(async () => {
  count += 1;
  dir = `${home}/t${count}`;
  await own(mkdir(dir), dir);
});

async function own(work: Promise<unknown>, path: string): Promise<void> {
  await work;
  await chown(path, uid, uid);
}
const write = async (name: string, text: string): Promise<void> => await own(writeFile(`${dir}/${name}`, text), `${dir}/${name}`);
const read = async (name: string): Promise<string> => await readFile(`${dir}/${name}`, 'utf8');
const put = async (path: string, body: Uint8Array, headers: Record<string, string> = {}) =>
  await bytesBy(world, ana, 'PUT', `/api/arquivos/conteudo?${query(path)}`, { body, headers });
const codeOf = ({ body }: { readonly body: Buffer }): string => (JSON.parse(body.toString()) as { code: string }).code;

async function operate(order: OperationBody): Promise<OperationView> {
  const begun = await ana.call('POST', '/api/arquivos/operacoes', order);
  expect(begun.status).toBe(202);
  for (;;) {
    const view = (await ana.call('GET', `/api/arquivos/operacoes/${begun.json().id}?espera=5`)).json() as OperationView;
    if (view.estado !== 'correndo') return view;
  }
}

test('a save replaces the whole file, keeps its mode and its link, and only over what was read', async () => {
  await write('nota.txt', 'um');
  await chmod(`${dir}/nota.txt`, 0o640);
  await own(symlink('nota.txt', `${dir}/atalho`), `${dir}/nota.txt`);
  const { etag = '' } = (await bytesBy(world, ana, 'GET', `/api/arquivos/conteudo?${query(`${dir}/nota.txt`)}`)).headers;
  const saved = await put(`${dir}/atalho`, Buffer.from('dois'), { 'if-match': etag });
  expect(saved.status).toBe(200);
  expect(await read('nota.txt')).toBe('dois');
  expect(await readlink(`${dir}/atalho`)).toBe('nota.txt');
  expect((await stat(`${dir}/nota.txt`)).mode & 0o777).toBe(0o640);
  const late = await put(`${dir}/nota.txt`, Buffer.from('tres'), { 'if-match': etag });
  expect([late.status, codeOf(late)]).toEqual([412, 'FILE_CHANGED']);
  const again = await put(`${dir}/nota.txt`, Buffer.from('tres'), {
    'if-match': (JSON.parse(saved.body.toString()) as { etag: string }).etag,
  });
  expect(again.status).toBe(200);
  expect(codeOf(await put(`${dir}/nota.txt`, Buffer.from('x'), { 'if-none-match': '*' }))).toBe('FILE_CHANGED');
  expect((await put(`${dir}/nova.txt`, Buffer.alloc(0), { 'if-none-match': '*' })).status).toBe(200);
  expect(await read('nota.txt')).toBe('tres');
  expect((await readdir(dir)).toSorted()).toEqual(['atalho', 'nota.txt', 'nova.txt']);
});

test('what the account may not write stays as it is, and nothing is left over', async () => {
  await write('so-ler', 'x');
  await chmod(`${dir}/so-ler`, 0o444);
  await writeFile(`${dir}/de-root`, 'r');
  for (const path of [`${dir}/so-ler`, `${dir}/de-root`, '/etc/svc-nao', `${world.accounts[1]?.home}/x`]) {
    const answer = await put(path, Buffer.from('y'));
    expect([path, answer.status, codeOf(answer)]).toEqual([path, 403, 'FILE_REFUSED']);
  }
  expect(codeOf(await put(dir, Buffer.from('y')))).toBe('FILE_KIND');
  expect((await readdir(dir)).toSorted()).toEqual(['de-root', 'so-ler']);
  expect(await read('so-ler')).toBe('x');
});

test('an upload comes in pieces, goes on after a break, and is judged by its digest', async () => {
  const bytes = randomBytes(3_000_000);
  const path = `${dir}/grande.bin`;
  const begin = async (more: object = {}) =>
    (await ana.call('POST', '/api/arquivos/envios', { caminho: path, bytes: bytes.length, ...more })).json() as {
      id: string;
      recebidos: number;
    };
  const { id } = await begin();
  const piece = async (from: number, to: number) =>
    await bytesBy(world, ana, 'PUT', `/api/arquivos/envios/${id}?desde=${from}`, { body: bytes.subarray(from, to) });
  expect(JSON.parse((await piece(0, 1_000_000)).body.toString())).toMatchObject({ recebidos: 1_000_000 });
  expect((await piece(0, 10)).status).toBe(409);
  expect((await ana.call('POST', `/api/arquivos/envios/${id}/fim`, {})).json().code).toBe('CONFLICT');
  expect((await piece(1_000_000, bytes.length)).status).toBe(200);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const ended = await ana.call('POST', `/api/arquivos/envios/${id}/fim`, { sha256 });
  expect(ended.json()).toMatchObject({ sha256, item: { caminho: path, bytes: bytes.length } });
  // A client that lost the answer asks again.
  expect((await ana.call('POST', `/api/arquivos/envios/${id}/fim`, { sha256 })).json()).toEqual(ended.json());
  expect((await readFile(path)).equals(bytes)).toBe(true);
  expect((await ana.call('POST', '/api/arquivos/envios', { caminho: path, bytes: 1 })).json().code).toBe('FILE_EXISTS');
  const other = await begin({ conflito: 'renomear' });
  await bytesBy(world, ana, 'PUT', `/api/arquivos/envios/${other.id}?desde=0`, { body: bytes });
  expect((await ana.call('POST', `/api/arquivos/envios/${other.id}/fim`, null)).json().item.caminho).toBe(`${dir}/grande (2).bin`);
  const wrong = await begin({ conflito: 'substituir' });
  await bytesBy(world, ana, 'PUT', `/api/arquivos/envios/${wrong.id}?desde=0`, { body: Buffer.alloc(bytes.length) });
  const refused = await ana.call('POST', `/api/arquivos/envios/${wrong.id}/fim`, { sha256 });
  expect([refused.status, refused.json().code]).toEqual([422, 'DIGEST_MISMATCH']);
  expect((await readFile(path)).equals(bytes)).toBe(true);
  expect((await readdir(dir)).toSorted()).toEqual(['grande (2).bin', 'grande.bin']);
});

test('folders are made, renamed, copied and moved, and nothing takes the place of another', async () => {
  expect((await ana.call('POST', '/api/arquivos/pasta', { caminho: `${dir}/a` })).status).toBe(201);
  expect((await ana.call('POST', '/api/arquivos/pasta', { caminho: `${dir}/a` })).json().code).toBe('FILE_EXISTS');
  await write('a/x.txt', 'x');
  await own(symlink('x.txt', `${dir}/a/l`), `${dir}/a`);
  await own(mkdir(`${dir}/b`), `${dir}/b`);
  const copied = await operate({ tipo: 'copiar', itens: [`${dir}/a`], destino: `${dir}/b` });
  expect(copied).toMatchObject({ estado: 'feita', bytes: 1, bytesFeitos: 1, resultados: [{ de: `${dir}/a`, para: `${dir}/b/a` }] });
  expect([await read('b/a/x.txt'), await readlink(`${dir}/b/a/l`)]).toEqual(['x', 'x.txt']);
  const again = await operate({ tipo: 'copiar', itens: [`${dir}/a`], destino: `${dir}/b`, conflito: 'renomear' });
  expect(again.resultados).toEqual([{ de: `${dir}/a`, para: `${dir}/b/a (2)` }]);
  expect((await operate({ tipo: 'mover', itens: [`${dir}/a`], destino: `${dir}/b` })).erros[0]?.code).toBe('FILE_EXISTS');
  expect((await operate({ tipo: 'copiar', itens: [`${dir}/b`], destino: `${dir}/b/a` })).erros[0]?.code).toBe('FILE_INSIDE');
  expect((await ana.call('POST', '/api/arquivos/renomear', { caminho: `${dir}/a`, nome: 'z/y' })).json().code).toBe('FILE_NAME_REFUSED');
  const long = await ana.call('GET', `/api/arquivos/estado?${query(`${dir}/${'n'.repeat(256)}`)}`);
  expect([long.status, long.json().code]).toEqual([400, 'FILE_NAME_REFUSED']);
  expect((await ana.call('POST', '/api/arquivos/renomear', { caminho: `${dir}/a`, nome: 'b' })).json().code).toBe('FILE_EXISTS');
  const renamed = await ana.call('POST', '/api/arquivos/renomear', { caminho: `${dir}/a`, nome: 'n%FF\n' });
  expect(renamed.json()).toMatchObject({ caminho: `${dir}/n%FF\n`, tipo: 'pasta' });
  const moved = await operate({ tipo: 'mover', itens: [`${dir}/n%FF\n`], destino: `${dir}/b` });
  expect(moved.resultados).toEqual([{ de: `${dir}/n%FF\n`, para: `${dir}/b/n%FF\n` }]);
  expect((await readdir(`${dir}/b`)).length).toBe(3);
  expect(await readdir(dir)).toEqual(['b']);
});

test('the trash keeps names apart, puts things back, and goes for good when told', async () => {
  await write('x.txt', 'um');
  const first = await operate({ tipo: 'lixo', itens: [`${dir}/x.txt`] });
  await write('x.txt', 'dois');
  const second = await operate({ tipo: 'lixo', itens: [`${dir}/x.txt`, `${dir}/nao-ha`] });
  expect(second).toMatchObject({ estado: 'com-erros', itensFeitos: 1, erros: [{ code: 'NOT_FOUND' }] });
  expect(await readdir(dir)).toEqual([]);
  const listed = (await ana.call('GET', '/api/arquivos/lixo')).json();
  expect(listed.itens).toHaveLength(2);
  expect(listed.itens[0]).toMatchObject({ nome: 'x.txt', origem: `${dir}/x.txt`, tipo: 'arquivo' });
  const note = await readFile(`${home}/.local/share/Trash/info/x.txt.trashinfo`, 'utf8');
  expect(note).toMatch(new RegExp(`^\\[Trash Info\\]\\nPath=${dir}/x\\.txt\\nDeletionDate=\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\n$`));
  const id = first.resultados[0]?.para ?? '';
  expect((await operate({ tipo: 'restaurar', itens: [id] })).resultados).toEqual([{ de: id, para: `${dir}/x.txt` }]);
  expect(await read('x.txt')).toBe('um');
  const other = second.resultados[0]?.para ?? '';
  expect((await operate({ tipo: 'restaurar', itens: [other] })).erros[0]?.code).toBe('FILE_EXISTS');
  expect((await operate({ tipo: 'esvaziar', itens: [] })).estado).toBe('feita');
  expect(await readdir(`${home}/.local/share/Trash/files`)).toEqual([]);
  expect(await readdir(`${home}/.local/share/Trash/info`)).toEqual([]);
});

test('another file system is a copy that is compared, and has a trash of its own; a full one leaves all as it was', async () => {
  const disk = `${dir}/disco`;
  await mountTmpfs(disk, 'size=2m,mode=0777');
  try {
    await write('cabe', 'c'.repeat(100_000));
    await write('grande', 'g'.repeat(3_000_000));
    expect((await operate({ tipo: 'mover', itens: [`${dir}/cabe`], destino: disk })).estado).toBe('feita');
    expect((await readFile(`${disk}/cabe`, 'utf8')).length).toBe(100_000);
    const full = await operate({ tipo: 'mover', itens: [`${dir}/grande`], destino: disk });
    expect(full.erros[0]?.code).toBe('DISK_FULL');
    expect((await read('grande')).length).toBe(3_000_000);
    const saved = await put(`${disk}/cabe`, Buffer.alloc(2_500_000));
    expect([saved.status, codeOf(saved)]).toEqual([507, 'DISK_FULL']);
    expect(await readdir(disk)).toEqual(['cabe']);
    expect((await operate({ tipo: 'lixo', itens: [`${disk}/cabe`] })).resultados[0]?.para).toBe(`${disk}/.Trash-${uid}/files/cabe`);
  } finally {
    await unmount(disk);
  }
});

test('names are found line by line', async () => {
  await own(mkdir(`${dir}/pasta`), `${dir}/pasta`);
  await write('pasta/Relatório final.txt', '');
  const found = await ana.call('GET', `/api/arquivos/busca?${query(dir, { texto: 'RELATORIO' })}`);
  const lines = found.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([{ item: { nome: 'Relatório final.txt' } }, { fim: true, vistos: 2, cortada: false }]);
});
