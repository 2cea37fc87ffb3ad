/**
 * A person who tries to reach what their account can't: by paths, links, links that change under way, `..`, encodings, newlines, bytes that are no
 * UTF-8. Over a real sshd with three accounts, and by the process that becomes an account. Whatever is answered, nothing of the others' comes out,
 * and nothing of it changes.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, lchownSync, lstatSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createAccountFileSystem } from '../../controller/files/account-files.ts';
import { createListings } from '../../controller/files/listing.ts';
import { createFileService } from '../../controller/files/service.ts';
import type { PersonFiles } from '../../schema/files.ts';
import { textBytes } from '../../schema/wire/file-path.ts';
import type { OperationBody } from '../../schema/wire/files.ts';
import { tellCount } from '../support/counts.ts';
import { bytesBy, createFilesWorld, query, type FilesWorld } from './support/files-world.ts';

const secret = 'SEGREDO-QUE-NINGUEM-LE';
let world: FilesWorld;
let home: string;
let byProcess: { readonly files: PersonFiles; close(): Promise<void> };
let secrets: readonly string[];

beforeAll(async () => {
  world = await createFilesWorld();
  const [ana, bia, caio] = world.accounts;
  if (ana === undefined || bia === undefined || caio === undefined) throw new Error('three accounts are needed');
  home = ana.home;
  secrets = [bia.home, caio.home, `${world.sshd.dir}/de-root`].map((folder, n) => {
    const uid = [bia.uid, caio.uid, 0][n] ?? 0;
    if (n === 2) mkdirSync(folder);
    mkdirSync(`${folder}/p`);
    for (const name of ['segredo', 'p/segredo', 'a\nb', 'f\u00e9']) {
      writeFileSync(`${folder}/${name}`, secret, { mode: 0o600 });
      chownSync(`${folder}/${name}`, uid, uid);
    }
    chownSync(`${folder}/p`, uid, uid);
    chmodSync(folder, 0o700);
    return folder;
  });
  execFileSync('tar', ['czf', `${home}/proprio.tgz`, '-C', import.meta.dirname, 'attempts.real.test.ts']);
  chownSync(`${home}/proprio.tgz`, ana.uid, ana.uid);
  const gid = Number(execFileSync('id', ['-g', ana.name]));
  const fs = createAccountFileSystem({ name: ana.name, uid: ana.uid, gid, home }, systemClock);
  const options = {
    fs,
    person: 'ana',
    account: ana.name,
    home: Buffer.from(home),
    listings: createListings(systemClock),
    clock: systemClock,
  };
  byProcess = { files: createFileService(options), close: () => fs.close() };
});
afterAll(async () => {
  await byProcess?.close();
  await world?.stop();
});

/** Paths in the exact form that lead, or seem to lead, to the folder of somebody else. */
function waysTo(folder: string, n: number): readonly string[] {
  const uid = world.accounts[0]?.uid ?? 0;
  const link = (name: string, to: string): string => {
    const path = `${home}/${name}${n}`;
    symlinkSync(to, path);
    lchownSync(path, uid, uid);
    return path;
  };
  const direct = link('direto', folder);
  const chain = link('cadeia', direct);
  const relative = link('relativo', `../../../../../../../../../..${folder}`);
  const named = link('linha\nnova', `${folder}/p`);
  return [
    folder,
    `${folder}/p`,
    direct,
    chain,
    relative,
    named,
    `/proc/self/root${folder}`,
    `/proc/1/root${folder}`,
    `${link('proc', '/proc/self/root')}${folder}`,
  ];
}

const allNames = ['segredo', 'a\nb', 'p%2Fsegredo', 'f\u00e9', '.', '..', '%2E%2E/segredo', '%00', '%FF'];
const names = process.env['SVC_TEST_LONG'] === '1' ? allNames : allNames.slice(0, 3);

interface Tally {
  attempts: number;
  /** Attempts that were answered with something else than an error. */
  answered: string[];
}

async function drained(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of bytes) parts.push(part);
  return Buffer.concat(parts).toString('latin1');
}

const body = async function* (): AsyncGenerator<Uint8Array> {
  yield Buffer.from('ATAQUE');
};

async function operated(files: PersonFiles, order: OperationBody): Promise<string> {
  const { id } = await files.begin(order);
  for (;;) {
    const view = await files.operation(id, 5_000, new AbortController().signal);
    if (view.estado !== 'correndo') {
      if (view.itensFeitos === 0) throw new Error(view.erros[0]?.code);
      return JSON.stringify(view);
    }
  }
}

/** Results of a search; an unreadable folder gives none. */
async function found(files: PersonFiles, path: Uint8Array): Promise<string> {
  const lines: string[] = [];
  for await (const line of files.search(path, 'segredo', true, new AbortController().signal))
    if ('item' in line) lines.push(JSON.stringify(line));
  if (lines.length === 0) throw new Error('nothing');
  return lines.join('\n');
}

/** Everything that a page can ask for a path; each answers a text, or rejects. */
function acts(files: PersonFiles): Readonly<Record<string, (path: Uint8Array, text: string) => Promise<string>>> {
  return {
    read: async (path) => {
      const content = await files.open(path);
      const said = content.bytes === 0 ? '' : await drained(content.read(0, content.bytes - 1));
      await content.close();
      return said;
    },
    list: async (path) =>
      JSON.stringify(
        await files.list(path, {
          order: 'nome',
          reverse: false,
          hidden: true,
          mixed: true,
          from: 0,
          limit: 10,
          prefix: null,
          version: null,
        }),
      ),
    zip: async (path) => await drained(files.zip([path], new AbortController().signal)),
    write: async (path) => JSON.stringify(await files.write(path, body(), { matches: null, isNew: false, bytes: null })),
    upload: async (path) => {
      const { id } = await files.beginUpload({ path, bytes: 6, conflict: 'substituir', resume: null });
      await files.putPiece(id, 0, body());
      return JSON.stringify(await files.endUpload(id, null));
    },
    folder: async (path) => JSON.stringify(await files.makeFolder(Buffer.concat([path, Buffer.from('/novo')]))),
    rename: async (path) => JSON.stringify(await files.rename(path, Buffer.from('outro'))),
    copy: async (_path, text) => await operated(files, { tipo: 'copiar', itens: [text], destino: home, conflito: 'renomear' }),
    move: async (_path, text) => await operated(files, { tipo: 'mover', itens: [text], destino: home, conflito: 'renomear' }),
    trash: async (_path, text) => await operated(files, { tipo: 'lixo', itens: [text] }),
    extract: async (_path, text) => await operated(files, { tipo: 'extrair', itens: [text] }),
    extractInto: async (_path, text) => await operated(files, { tipo: 'extrair', itens: [`${home}/proprio.tgz`], destino: text }),
    copyInto: async (_path, text) => await operated(files, { tipo: 'copiar', itens: [`${home}/proprio.tgz`], destino: text }),
    item: async (path) => JSON.stringify(await files.item(path)),
    search: async (path) => await found(files, path),
    remove: async (_path, text) => await operated(files, { tipo: 'apagar', itens: [text] }),
  };
}

function untouched(): void {
  for (const folder of secrets) {
    expect(lstatSync(folder).isDirectory()).toBe(true);
    for (const name of ['segredo', 'p/segredo', 'a\nb', 'f\u00e9']) expect(readFileSync(`${folder}/${name}`, 'utf8')).toBe(secret);
  }
}

test.for(['over ssh', 'by the process of the account'])(
  '%s: no path leads to what the account itself could not reach',
  async (way, { signal }) => {
    const files = way === 'over ssh' ? await world.portal.world.filesOf('ana', false) : byProcess.files;
    const tally: Tally = { attempts: 0, answered: [] };
    const offset = way === 'over ssh' ? 0 : 10;
    for (const [n, folder] of secrets.entries()) {
      for (const path of waysTo(folder, n + offset)) {
        for (const name of names) {
          signal.throwIfAborted();
          const text = `${path}/${name}`;
          const bytes = textBytes(text);
          for (const [act, attempt] of Object.entries(acts(files))) {
            tally.attempts += 1;
            // The border refuses most of these; what is behind it is asked all the same, where there are bytes.
            const said = bytes === null ? null : await attempt(bytes, text).catch(() => null);
            if (said !== null) tally.answered.push(`${act} ${text}: ${said.slice(0, 100)}`);
          }
        }
      }
    }
    untouched();
    tellCount(`files ${way}: ${tally.attempts} attempts on other accounts' files, ${tally.answered.length} reached something`);
    expect(tally.answered).toEqual([]);
    expect(tally.attempts).toBeGreaterThanOrEqual(200);
  },
);

test('over HTTP: encodings of the path lead nowhere else', async () => {
  const ana = await world.portal.signedIn('ana');
  const tricks = ['..%2f', '%2e%2e/', '%252e%252e/', '..%5c', '//', '/./', '%00', '\u2024\u2024/', '..;/', '%c0%ae%c0%ae/'];
  let attempts = 0;
  for (const folder of secrets) {
    for (const trick of tricks) {
      for (const route of ['conteudo', 'estado', 'lista']) {
        for (const target of [
          `caminho=${home}/${trick}${folder}/segredo`,
          query(`${home}/${trick}../..${folder}/segredo`),
          `caminho=${folder}/${trick}segredo`,
        ]) {
          attempts += 1;
          const { status, body: said } = await bytesBy(
            world,
            ana,
            'GET',
            `/api/arquivos/${route}?${target.replaceAll('\u2024', '%E2%80%A4')}`,
          );
          expect([target, status >= 400, said.includes(secret)]).toEqual([target, true, false]);
        }
      }
    }
  }
  untouched();
  tellCount(`files over HTTP: ${attempts} encodings of paths, 0 reached something`);
});

test("a link that changes while it is used never shows or changes what is not the account's", async () => {
  const own = `${home}/proprio`;
  const flip = `${home}/vira`;
  const uid = world.accounts[0]?.uid ?? 0;
  writeFileSync(own, 'meu');
  chownSync(own, uid, uid);
  const turn = (to: string): void => {
    symlinkSync(to, `${flip}.novo`);
    lchownSync(`${flip}.novo`, uid, uid);
    renameSync(`${flip}.novo`, flip);
  };
  let [rounds, reached] = [0, 0];
  for (const files of [await world.portal.world.filesOf('ana', false), byProcess.files]) {
    const { read, write, upload } = acts(files);
    for (let n = 0; n < 40; n += 1) {
      turn(own);
      const attempt = [read, write, upload][n % 3]?.(Buffer.from(flip), flip).catch(() => '') ?? Promise.resolve('');
      // Over and back while it is under way.
      for (let back = 0; back < 4; back += 1) {
        await new Promise<void>((resolve) => setImmediate(resolve));
        turn(back % 2 === 0 ? `${secrets[n % 3]}/segredo` : own);
      }
      const said = await attempt;
      rounds += 1;
      if (said.includes(secret)) reached += 1;
    }
  }
  untouched();
  tellCount(`files: ${rounds} races of links, ${reached} reached something`);
  expect(reached).toBe(0);
});

test('the folder of a terminal and the folder of the desktop lead nowhere else', async () => {
  const [ana] = world.accounts;
  const files = await world.portal.world.filesOf('ana', false);
  let attempts = 0;
  mkdirSync(`${home}/.config`, { recursive: true });
  for (const [n, folder] of secrets.entries()) {
    for (const path of waysTo(folder, n + 20)) {
      attempts += 2;
      writeFileSync(`${home}/.config/user-dirs.dirs`, `XDG_DESKTOP_DIR="${path.replaceAll('\n', '')}/p"\n`);
      expect(await files.deskFolder().catch(() => null)).toBeNull();
      const shell = await world.terminalOf(ana?.name ?? '', textBytes(path) ?? Buffer.alloc(0));
      shell.input.write('pwd -P; cat segredo p/segredo; exit\n');
      const said = await drained(shell.output);
      expect([path, said.includes(secret), said.includes(`\n${folder}`)]).toEqual([path, false, false]);
    }
  }
  untouched();
  tellCount(`files: ${attempts} folders of terminals and of the desktop, 0 reached something`);
});
