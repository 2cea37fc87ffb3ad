/**
 * Somebody who may write to the same folder exchanges what is in it while it is copied, moved, removed, unpacked, saved and uploaded: nothing of the account's own is read for
 * them, changed or removed. Over a real sshd and by the process of the account, in a group's folder and in one with the sticky bit. Needs root.
 */
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../controller/clock/system.ts';
import { createAccountFileSystem } from '../../controller/files/account-files.ts';
import type { FileSystem } from '../../controller/files/file-system.ts';
import { createListings } from '../../controller/files/listing.ts';
import { createFileService } from '../../controller/files/service.ts';
import type { PersonFiles } from '../../schema/files.ts';
import type { OperationBody } from '../../schema/wire/files.ts';
import { tellCount } from '../support/counts.ts';
import { everyNth } from '../support/share.ts';
import { createFilesWorld, type FilesWorld } from './support/files-world.ts';

const isLong = process.env['SVC_TEST_LONG'] === '1';
/** Acts while somebody exchanges, and how often that is done at least in each of the eight cases where all of a folder is exchanged. */
const rounds = isLong ? 10 : 2;
const grownRounds = isLong ? 500 : 2;
const swapsMin = isLong ? 1_250_000 : 1;
const secret = 'so-da-ana '.repeat(20);

const run = (program: string, ...args: readonly string[]): string => execFileSync(program, args).toString();

let world: FilesWorld;
let home: string;
let own: FileSystem;
let bia: { readonly uid: number; readonly gid: number };
let shared: string;
let other: ChildProcess | null = null;

beforeAll(async () => {
  world = await createFilesWorld();
  const [ana, second] = world.accounts;
  if (ana === undefined || second === undefined) throw new Error('two accounts are needed');
  for (const { name } of [ana, second]) run('usermod', '-aG', 'users', name);
  const gid = Number(run('id', '-g', ana.name));
  bia = { uid: second.uid, gid: Number(run('id', '-g', second.name)) };
  home = ana.home;
  own = createAccountFileSystem({ name: ana.name, uid: ana.uid, gid, home }, systemClock);
  mkdirSync(`${home}/docs`, { mode: 0o700 });
  for (let n = 0; n < 30; n += 1) writeFileSync(`${home}/docs/${n}`, secret, { mode: 0o600 });
  run('chown', '-R', `${ana.uid}:${gid}`, `${home}/docs`);
});
afterAll(async () => {
  await own?.close();
  await world?.stop();
});
beforeEach(() => {
  shared = mkdtempSync(path.join(tmpdir(), 'svcg-'));
});
afterEach(async () => {
  await ended();
  rmSync(shared, { recursive: true, force: true });
});

const places = { group: 0o2770, sticky: 0o1777 } as const;
type Where = keyof typeof places;

/** A folder of others that ana works in. */
function prepare(where: Where): void {
  chownSync(shared, bia.uid, 100);
  chmodSync(shared, places[where]);
  for (const name of ['de', 'lado', 'para']) {
    mkdirSync(`${shared}/${name}`);
    chownSync(`${shared}/${name}`, bia.uid, 100);
    chmodSync(`${shared}/${name}`, places[where]);
  }
}

const asBia = (...argv: readonly string[]): readonly string[] => ['--reuid', String(bia.uid), '--regid', '100', '--clear-groups', ...argv];

/** By their own hand, so that they may. */
function fill(form: 'files' | 'folders'): void {
  const script =
    form === 'files'
      ? 'for n in $(seq 80); do echo "de bia $n" > "$0/f$n"; chmod 666 "$0/f$n"; done'
      : 'for n in $(seq 40); do mkdir -m 777 "$0/d$n"; for m in 1 2 3; do echo x > "$0/d$n/$m"; done; done';
  run('setpriv', ...asBia('sh', '-c', script, `${shared}/de`));
}

let said = '';

async function exchange(what: 'entries' | 'new', folder: string, target: string): Promise<void> {
  // They can't read the checkout; nor do they have what its owner has in PATH.
  const script = readFileSync(path.join(import.meta.dirname, 'support/exchange.py'), 'utf8');
  const argv = asBia('/usr/bin/python3', '-c', script, what, folder, `${shared}/lado`, target);
  const child = spawn('setpriv', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  said = '';
  other = child;
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await expect.poll(() => said).toContain('ready');
}

/** So far, as they say it now and then. */
const swaps = (): number => Number(said.split('\n').at(-2)) || 0;

/** How often they exchanged something. */
async function ended(): Promise<number> {
  const child = other;
  other = null;
  if (child === null) return 0;
  const closed = once(child, 'close');
  child.stdin?.end();
  await closed;
  return swaps();
}

/** Returns ana's files that changed, or that others got. */
function harm(): readonly string[] {
  other?.kill('SIGSTOP');
  const found: string[] = [];
  for (let n = 0; n < 30; n += 1) {
    const file = `${home}/docs/${n}`;
    if (!existsSync(file)) found.push(`${n} is gone`);
    else if ((statSync(file).mode & 0o7777) !== 0o600 || readFileSync(file, 'utf8') !== secret) found.push(`${n} was changed`);
  }
  if ((statSync(`${home}/docs`).mode & 0o7777) !== 0o700) found.push('docs was opened');
  // Links are passed over.
  const told = spawnSync('grep', ['-rlF', 'so-da-ana', shared]).stdout.toString();
  for (const name of told.split('\n')) if (name !== '') found.push(`${name} tells it`);
  other?.kill('SIGCONT');
  return found;
}

const ways = ['ssh', 'account'] as const;
type Way = (typeof ways)[number];
const filesOf = (way: Way) => {
  const fs = way === 'ssh' ? world.fs(0) : own;
  const files = createFileService({
    fs,
    person: 'ana',
    account: 'ana',
    home: Buffer.from(home),
    listings: createListings(systemClock),
    clock: systemClock,
  });
  return {
    files,
    /** Ends well or not: what is left says more. */
    act: async (order: OperationBody): Promise<void> => {
      const { id } = await files.begin(order);
      while ((await files.operation(id, 5_000, new AbortController().signal)).estado === 'correndo');
    },
  };
};

const timeout = isLong ? 3_600_000 : 120_000;
/** Each way and each kind of folder, once; the long run has each with each. */
const cases = everyNth(2, [
  [
    ['ssh', 'group'],
    ['account', 'sticky'],
  ],
  [
    ['ssh', 'sticky'],
    ['account', 'group'],
  ],
] as const).flat();

test.for(cases)('%s, %s folder: a copy has nothing that its links led to', { timeout }, async ([way, where]) => {
  prepare(where);
  fill('files');
  const { act } = filesOf(way);
  await exchange('entries', `${shared}/de`, `${home}/docs/0`);
  let acts = 0;
  for (; acts < rounds || swaps() < swapsMin; acts += 1) {
    await act({ tipo: 'copiar', itens: [`${shared}/de`], destino: `${shared}/para`, conflito: 'renomear' });
    await act({ tipo: 'mover', itens: [`${shared}/de/f${(acts % 80) + 1}`], destino: `${shared}/para`, conflito: 'renomear' });
    await act({ tipo: 'mover', itens: [`${shared}/para/f${(acts % 80) + 1}`], destino: `${shared}/de`, conflito: 'substituir' });
    expect(harm()).toEqual([]);
    for (const name of readdirSync(`${shared}/para`)) rmSync(`${shared}/para/${name}`, { recursive: true });
  }
  const count = await ended();
  tellCount(`races: ${way}, ${where} folder: ${acts} copies and twice as many moves, ${count} exchanges, nothing of others`);
  expect(count).toBeGreaterThanOrEqual(swapsMin);
});

test.for(cases)('%s, %s folder: a removal removes nothing elsewhere', { timeout }, async ([way, where]) => {
  prepare(where);
  const { act } = filesOf(way);
  let [n, count] = [0, 0];
  for (; n < rounds || count < swapsMin; n += 1) {
    fill('folders');
    await exchange('entries', `${shared}/de`, `${home}/docs`);
    await act({ tipo: n % 2 === 0 ? 'apagar' : 'lixo', itens: [`${shared}/de`] });
    count += await ended();
    expect(harm()).toEqual([]);
    rmSync(shared, { recursive: true });
    mkdirSync(shared);
    prepare(where);
  }
  tellCount(`races: ${way}, ${where} folder: ${n} removals, ${count} exchanges, nothing of others`);
});

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function upload(files: PersonFiles, to: string): Promise<void> {
  const { id } = await files.beginUpload({ path: Buffer.from(to), bytes: 4, conflict: 'substituir', resume: null });
  await files.putPiece(id, 0, bodyOf('novo'));
  await files.endUpload(id, null);
}

test.for(cases)('%s, %s folder: what grows there is exchanged by nobody', { timeout }, async ([way, where]) => {
  prepare(where);
  fill('folders');
  const { files, act } = filesOf(way);
  run('tar', 'czf', `${home}/a.tgz`, '-C', `${shared}/de`, 'd1', 'd2');
  writeFileSync(`${home}/aberto`, 'para todos', { mode: 0o777 });
  for (const name of ['a.tgz', 'aberto']) {
    chownSync(`${home}/${name}`, statSync(home).uid, statSync(home).gid);
    chmodSync(`${home}/${name}`, 0o777);
  }
  const into = `${shared}/para`;
  for (const target of [`${home}/docs/0`, `${home}/docs`]) {
    await exchange('new', into, target);
    for (let n = 0; n < grownRounds; n += 1) {
      await act({ tipo: 'copiar', itens: [`${home}/aberto`], destino: into, conflito: 'renomear' });
      await act({ tipo: 'extrair', itens: [`${home}/a.tgz`], destino: into });
      await files.write(Buffer.from(`${into}/salvo`), bodyOf('novo'), { matches: null, isNew: false, bytes: 4 }).catch(() => undefined);
      await upload(files, `${into}/enviado`).catch(() => undefined);
      expect(harm()).toEqual([]);
    }
    await ended();
    for (const name of readdirSync(`${shared}/lado`)) rmSync(`${shared}/lado/${name}`, { recursive: true });
  }
});

test.for(ways)('%s: a link of somebody else on the way leads nowhere, one of the account does', async (way) => {
  prepare('group');
  run('setpriv', ...asBia('ln', '-s', home, `${shared}/elo`));
  run('ln', '-s', home, `${shared}/meu`);
  run('chown', '-h', String(statSync(home).uid), `${shared}/meu`);
  const { files, act } = filesOf(way);
  const ends: (string | undefined)[] = [];
  for (const link of ['elo', 'meu'])
    for (const [tipo, item] of [
      ['copiar', 'docs/0'],
      ['lixo', 'docs'],
      ['apagar', 'docs'],
    ] as const) {
      if (link === 'meu' && tipo !== 'copiar') continue;
      await act({ tipo, itens: [`${shared}/${link}/${item}`], ...(tipo === 'copiar' ? { destino: home, conflito: 'renomear' } : {}) });
      ends.push(files.operations().at(-1)?.erros[0]?.code);
    }
  expect([ends, harm()]).toEqual([['FILE_REFUSED', 'FILE_REFUSED', 'FILE_REFUSED', undefined], []]);
});
