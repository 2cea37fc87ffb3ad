/** Reads of a person's files by pages, through a portal and a real sshd. */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Browser } from '../../api/testing/portal-world.ts';
import { SvcError } from '../../schema/errors.ts';
import type { FileItem } from '../../schema/wire/files.ts';
import { bytesBy, createFilesWorld, query, type FilesWorld } from './support/files-world.ts';

let world: FilesWorld;
let ana: Browser;
let home: string;
const big = randomBytes(6 * 1_024 * 1_024 + 5);

beforeAll(async () => {
  world = await createFilesWorld();
  ana = await world.portal.signedIn('ana');
  home = world.accounts[0]?.home ?? '';
  const own = async (path: string): Promise<void> => await chown(path, world.accounts[0]?.uid ?? 0, world.accounts[0]?.uid ?? 0);
  for (const folder of ['Desktop', 'Fotos', 'muitos', '.config']) {
    await mkdir(`${home}/${folder}`);
    await own(`${home}/${folder}`);
  }
  await writeFile(`${home}/.config/user-dirs.dirs`, '# x\nXDG_PICTURES_DIR="$HOME/Fotos"\nXDG_MUSIC_DIR="$HOME/"\n');
  await writeFile(`${home}/Fotos/grande.bin`, big);
  await writeFile(`${home}/Fotos/nota "1".txt`, 'olá');
  await writeFile(Buffer.concat([Buffer.from(`${home}/Fotos/`), Buffer.from([0x66, 0xff, 0x25])]), 'bytes');
  await symlink('grande.bin', `${home}/Fotos/atalho`);
  await symlink('nada', `${home}/Fotos/quebrado`);
  await writeFile(`${home}/Fotos/.oculto`, '');
  for (let n = 0; n < 30; n += 1) await writeFile(`${home}/muitos/f${n}.${n % 2 ? 'txt' : 'png'}`, 'x'.repeat(n));
});
afterAll(() => world?.stop());

const list = async (path: string, more: Record<string, string> = {}) => await ana.call('GET', `/api/arquivos/lista?${query(path, more)}`);
const names = (items: readonly FileItem[]): readonly string[] => items.map(({ nome }) => nome);

test('home and folders are those of the account, as XDG says', async () => {
  const places = (await ana.call('GET', '/api/arquivos')).json();
  expect(places).toMatchObject({ conta: world.accounts[0]?.name, casa: home });
  expect(places.pastas).toEqual([
    { papel: 'desktop', caminho: `${home}/Desktop`, nome: 'Desktop' },
    { papel: 'pictures', caminho: `${home}/Fotos`, nome: 'Fotos' },
  ]);
  expect(places.espaco.totalBytes).toBeGreaterThan(places.espaco.livreBytes);
  const space = (await ana.call('GET', `/api/arquivos/espaco?${query(home)}`)).json();
  expect(space.totalBytes).toBe(places.espaco.totalBytes);
});

test('the folder of the desktop, and why it is not known', async () => {
  const desk = async (): Promise<unknown> => (await ana.call('GET', '/api/arquivos/mesa')).json();
  expect(await desk()).toEqual({ pasta: `${home}/Desktop`, motivo: null, passa: false });
  await rename(`${home}/Desktop`, `${home}/Mesa`);
  expect(await desk()).toEqual({ pasta: null, motivo: null, passa: false });
  await rename(`${home}/Mesa`, `${home}/Desktop`);
  const { filesOf } = world.portal.world;
  onTestFinished(() => void (world.portal.world.filesOf = filesOf));
  for (const [code, passa] of [
    ['NO_OWN_ACCOUNT', false],
    ['SERVER_UNREACHABLE', true],
    ['SSH_SATURATED', true],
    ['SSH_REFUSED', false],
  ] as const) {
    world.portal.world.filesOf = async () => await Promise.reject(new SvcError(code, 'no'));
    expect(await desk()).toEqual({ pasta: null, motivo: code, passa });
  }
});

test('a page of a listing begins at the name that is looked for, without case and accents, from where it is looked for', async () => {
  await mkdir(`${home}/nomes`);
  for (const name of ['abc', 'Ágata', 'água viva', 'bola', 'cem']) await writeFile(`${home}/nomes/${name}`, '');
  const found = async (comeca: string, desde = 0): Promise<readonly unknown[]> => {
    const { desde: at, itens } = (await list(`${home}/nomes`, { comeca, desde: String(desde), limite: '1' })).json();
    return [at, ...itens.map(({ nome }: FileItem) => nome)];
  };
  expect(await found('AG')).toEqual([1, 'Ágata']);
  expect(await found('ag', 2)).toEqual([2, 'água viva']);
  expect(await found('a', 3)).toEqual([0, 'abc']);
  expect(await found('água v')).toEqual([2, 'água viva']);
  expect(await found('x')).toEqual([5]);
  expect((await list(`${home}/nomes`, { comeca: '' })).status).toBe(400);
  await rm(`${home}/nomes`, { recursive: true });
});

test('a folder is listed with exact paths, links looked at, hidden names when asked for', async () => {
  const shown = (await list(`${home}/Fotos`)).json();
  expect(shown).toMatchObject({ caminho: `${home}/Fotos`, total: 5, ocultos: 1, desde: 0, cortada: false });
  const item = (nome: string): FileItem => shown.itens.find((each: FileItem) => each.nome === nome);
  expect(item('f\ufffd%')).toMatchObject({ caminho: `${home}/Fotos/f%FF%25`, tipo: 'arquivo', bytes: 5 });
  expect(item('atalho')).toMatchObject({ tipo: 'arquivo', bytes: big.length, atalho: true });
  expect(item('quebrado')).toMatchObject({ tipo: 'quebrado', atalho: true });
  expect(names((await list(`${home}/Fotos`, { ocultos: '1' })).json().itens)).toContain('.oculto');
  const one = (await ana.call('GET', `/api/arquivos/estado?${query(`${home}/Fotos/f%FF%25`)}`)).json();
  expect(one).toEqual(item('f\ufffd%'));
  expect((await bytesBy(world, ana, 'GET', `/api/arquivos/conteudo?${query(one.caminho)}`)).body.toString()).toBe('bytes');
});

test('pages of one listing go on where the one before ended, in the order that was asked for', async () => {
  const first = (await list(`${home}/muitos`, { limite: '12' })).json();
  expect(names(first.itens).slice(0, 3)).toEqual(['f0.png', 'f1.txt', 'f2.png']);
  await writeFile(`${home}/muitos/a-nova`, '');
  const second = (await list(`${home}/muitos`, { limite: '12', desde: '12', versao: first.versao })).json();
  expect(second).toMatchObject({ total: 30, desde: 12, versao: first.versao });
  expect(names(second.itens)[0]).toBe('f12.png');
  const bySize = (await list(`${home}/muitos`, { limite: '2', ordem: 'tamanho', inversa: '1', versao: first.versao })).json();
  expect(names(bySize.itens)).toEqual(['f29.txt', 'f28.png']);
  const byKind = (await list(`${home}/muitos`, { limite: '16', ordem: 'tipo', versao: first.versao })).json();
  expect(names(byKind.itens).slice(14, 16)).toEqual(['f28.png', 'f1.txt']);
  expect((await list(`${home}/muitos`, { limite: '1' })).json()).toMatchObject({ total: 31, itens: [{ nome: 'a-nova' }] });
  expect((await list(`${home}/muitos`, { limite: '1', versao: 'de-outro' })).json().total).toBe(31);
});

test('a file is sent whole and in ranges, with a validator, and as nothing that runs', async () => {
  const path = `/api/arquivos/conteudo?${query(`${home}/Fotos/grande.bin`)}`;
  const whole = await bytesBy(world, ana, 'GET', path);
  expect(whole.body.equals(big)).toBe(true);
  expect(whole.headers).toMatchObject({
    'content-type': 'application/octet-stream',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    'content-length': String(big.length),
  });
  expect(whole.headers['content-security-policy']).toContain('sandbox');
  const etag = whole.headers.etag ?? '';
  const part = await bytesBy(world, ana, 'GET', path, { headers: { range: 'bytes=1000000-3000000', 'if-range': etag } });
  expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 1000000-3000000/${big.length}`]);
  expect(part.body.equals(big.subarray(1_000_000, 3_000_001))).toBe(true);
  expect((await bytesBy(world, ana, 'GET', path, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await bytesBy(world, ana, 'GET', path, { headers: { range: `bytes=${big.length}-` } })).status).toBe(416);
  const head = await bytesBy(world, ana, 'HEAD', path);
  expect([head.status, head.body.length, head.headers['content-length']]).toEqual([200, 0, String(big.length)]);
  const named = await bytesBy(world, ana, 'GET', `/api/arquivos/conteudo?${query(`${home}/Fotos/nota "1".txt`)}`);
  expect(named.headers['content-disposition']).toBe(`attachment; filename="nota _1_.txt"; filename*=UTF-8''nota%20%221%22.txt`);
});

test('two states of a small file have two validators, also within one second and with one size', async () => {
  const path = `/api/arquivos/conteudo?${query(`${home}/Fotos/nota "1".txt`)}`;
  const before = (await bytesBy(world, ana, 'GET', path)).headers.etag;
  await writeFile(`${home}/Fotos/nota "1".txt`, 'alô');
  expect((await bytesBy(world, ana, 'GET', path)).headers.etag).not.toBe(before);
});

test('a zip holds what the account may read, and tells the rest; its reader may go away', async () => {
  const made = (name: string): string => `${home}/zip/${name}`;
  await mkdir(made('fechada'), { recursive: true });
  await writeFile(made('aberto.bin'), big);
  await writeFile(made('fechado.txt'), 'não');
  await writeFile(made('fechada/dentro.txt'), 'não');
  await chmod(made('fechado.txt'), 0o600);
  await chmod(made('fechada'), 0o700);
  const path = `/api/arquivos/zip?${query(`${home}/zip`)}`;
  const { status, body } = await bytesBy(world, ana, 'GET', path);
  expect(status).toBe(200);
  await writeFile(`${home}/saida.zip`, body);
  const script =
    'import sys,zipfile,hashlib,json\nz=zipfile.ZipFile(sys.argv[1])\nassert z.testzip() is None\nprint(json.dumps([z.namelist(),hashlib.sha256(z.read("zip/aberto.bin")).hexdigest(),z.read("LEIA-ME.txt").decode()]))';
  const { stdout } = await promisify(execFile)('python3', ['-c', script, `${home}/saida.zip`]);
  const [names, digest, told] = JSON.parse(stdout) as [readonly string[], string, string];
  expect(names.toSorted()).toEqual(['LEIA-ME.txt', 'zip/', 'zip/aberto.bin']);
  expect(digest).toBe(createHash('sha256').update(big).digest('hex'));
  for (const name of ['zip/fechado.txt', 'zip/fechada/'])
    expect(told).toContain(`- ${name}: não pôde ser lido / could not be read (EACCES)`);
  // More than may be under way at once.
  const { host, port, url } = world.portal;
  for (let n = 0; n < 20; n += 1) {
    const headers = { host, cookie: ana.cookies.get(host) ?? '', origin: url };
    await new Promise<void>((gone, failed) => {
      const req = http.get(
        { host: '127.0.0.1', port, path, headers, agent: false },
        (res) => void res.once('data', () => res.destroy()).once('close', gone),
      );
      req.once('error', failed);
    });
  }
  await expect.poll(async () => (await bytesBy(world, ana, 'GET', path)).status).toBe(200);
});

test('what the account may not do is refused with a code', async () => {
  const bia = world.accounts[1]?.home ?? '';
  await writeFile(`${bia}/dela`, 'de bia');
  await chmod(bia, 0o700);
  const codes = async (path: string): Promise<readonly [number, string]> => {
    const answer = await ana.call('GET', `/api/arquivos/estado?${query(path)}`);
    return [answer.status, answer.json().code];
  };
  expect(await codes(`${bia}/dela`)).toEqual([403, 'FILE_REFUSED']);
  expect(await codes(`${home}/nao-ha`)).toEqual([404, 'NOT_FOUND']);
  for (const path of [`${home}/../x`, 'x', `${home}//x`, `${home}/x/`, '/./etc', '/a%zz', '/a%00', '/%2E%2E/etc']) {
    expect([path, ...(await codes(path))]).toEqual([path, 400, 'BAD_REQUEST']);
  }
  expect(await codes(`/${'a/'.repeat(3_000)}b`)).toEqual([400, 'FILE_NAME_REFUSED']);
  expect((await list(`${home}/Fotos/grande.bin`)).json().code).toBe('NOT_FOUND');
  expect((await bytesBy(world, ana, 'GET', `/api/arquivos/conteudo?${query(home)}`)).status).toBe(409);
  expect((await world.portal.browser().call('GET', `/api/arquivos?`)).status).toBe(401);
  const other = await world.portal.signedIn('bia');
  expect((await other.call('GET', `/api/arquivos/estado?${query(`${bia}/dela`)}`)).status).toBe(200);
  const fromApp = await ana.request('/api/arquivos', {
    headers: { origin: `http://notas.${world.portal.host}`, 'sec-fetch-site': 'same-site' },
  });
  expect(fromApp.status).toBe(403);
});
