/**
 * Conversations with a server that is no proper one: an account can put a program of its own in the place of sshd's. Each question is answered or fails by its
 * code, within bounds, and nothing is thrown where nobody catches it.
 */
import { duplexPair, type Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SvcError } from '../../../schema/errors.ts';
import { createRandom, type Random } from '../../../test/simulation/random.ts';
import { amount } from '../../../test/support/amount.ts';
import { tellCount } from '../../../test/support/counts.ts';
import { FileFault } from '../file-fault.ts';
import type { FileSystem, PinnedFileSystem } from '../file-system.ts';
import { limits } from '../limits.ts';
import { memoryFiles } from '../testing/memory-file-system.ts';
import { extensionsOfOurs } from './extensions.ts';
import { createSftpFileSystem } from './file-system.ts';
import { head, lengthened, types, u32, worded } from './packets.ts';
import { serveSftp } from './server.ts';

const conversations = amount(200, 10_000);
const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
/** More than any honest folder here gives; a listing that gives more is one that its reader has to end. */
const entriesMax = 2_000;

async function someFiles(): Promise<PinnedFileSystem> {
  const fs = await memoryFiles('f1', Buffer.alloc(3_000)).fs.pinned();
  await fs.makeFolder(Buffer.from('/sub'), 0o700);
  await fs.symlink(Buffer.from('sub'), Buffer.from('/elo'));
  for (let n = 2; n < 20; n += 1) await fs.makeFolder(Buffer.from(`/f${n}`), 0o700);
  return { ...fs, readLink: async () => Buffer.from('sub'), realpath: async (path) => path };
}

const wild = [0, 1, 0x7fffffff, 0xffffffff, 0xfffffff0, 1 << 20];

/** A whole packet that nobody made so. */
function lie(random: Random, packet: Buffer): Buffer {
  const { pick, int } = random;
  const [type, id] = [packet[4] ?? 0, packet.length >= 9 ? packet.readUInt32BE(5) : 0];
  const kinds: readonly (() => Buffer)[] = [
    () => Buffer.concat([packet.subarray(0, 4), Buffer.from([int(0, 255)]), packet.subarray(5)]),
    () => Buffer.concat([u32(pick(wild)), packet.subarray(4)]),
    () => head(type, pick([...wild, id + 1]), [packet.subarray(9)]),
    () => head(type, id, [packet.subarray(9, int(9, packet.length))]),
    () => head(type, id, [packet.subarray(9), Buffer.alloc(int(1, 40), int(0, 255))]),
    () => Buffer.concat([packet, packet]),
    () => head(types.name, id, [u32(pick(wild)), packet.subarray(9)]),
    () => head(types.name, id, [u32(1), lengthened(Buffer.alloc(int(0, 3_000), pick(['/', '.', '\0', 'é']))), worded(''), u32(0)]),
    () => head(types.attrs, id, [u32(pick([0x80000000, 0xffffffff, 15])), Buffer.alloc(28, int(0, 255)), u32(pick(wild))]),
    () => head(types.handle, id, [lengthened(Buffer.alloc(pick([0, 1, 255, 256, 257, 5_000]), 1))]),
    () => head(types.status, id, [u32(pick([0, 1, 2, 4, 8, 99, 0xffffffff])), worded(pick(['', 'ENOENT', 'E', 'x'.repeat(9_000)]))]),
    () => head(types.data, id, [u32(pick(wild)), Buffer.alloc(int(0, 100))]),
  ];
  return pick(kinds)();
}

/** Each with its length. */
function onPackets(line: Duplex, take: (packet: Buffer) => void): void {
  let held = Buffer.alloc(0);
  line.on('data', (chunk: Buffer) => {
    held = Buffer.concat([held, chunk]);
    while (held.length >= 4 && held.length >= 4 + held.readUInt32BE(0)) {
      const packet = Buffer.from(held.subarray(0, 4 + held.readUInt32BE(0)));
      held = held.subarray(packet.length);
      take(packet);
    }
  });
}

/** Its server says what an honest one says, but for some packets; `endless`: to a question for names it says again and again the same. */
function hostileLine(fs: PinnedFileSystem, random: Random): Duplex {
  const [ours, between] = duplexPair();
  const [asked, honest] = duplexPair();
  serveSftp(honest, fs, () => honest.destroy());
  const isOurs = random.chance(0.5);
  const isEndless = random.chance(0.1);
  const endless = random.pick([[u32(0)], [u32(1), worded('.'), worded(''), u32(0)], [u32(1), worded('a'), worded(''), u32(0)]]);
  const lies = random.pick([0.01, 0.05, 0.3]);
  between.on('data', (chunk: Buffer) => {
    const isNames = isEndless && chunk[4] === types.readdir;
    if (isNames) between.write(head(types.name, chunk.readUInt32BE(5), endless));
    else asked.write(chunk);
  });
  onPackets(asked, (packet) => {
    // As OpenSSH's server, which knows no `hold@svc`.
    if (!isOurs && packet[4] === types.version) packet.write('?', packet.indexOf(extensionsOfOurs.hold), 'latin1');
    if (random.chance(lies / 4)) return;
    if (random.chance(lies / 16)) between.destroy();
    if (between.destroyed) return;
    const said = random.chance(lies) ? lie(random, packet) : packet;
    const cut = random.chance(0.1) ? random.int(0, said.length) : said.length;
    between.write(said.subarray(0, cut));
    between.write(said.subarray(cut));
  });
  for (const one of [ours, between, asked, honest]) one.on('error', () => undefined);
  between.on('close', () => {
    asked.destroy();
    honest.destroy();
  });
  return ours;
}

async function listed(fs: FileSystem, at: Buffer): Promise<void> {
  let count = 0;
  for await (const entries of fs.list(at)) if ((count += entries.length) > entriesMax) return;
}

async function readWhole(fs: FileSystem, at: Buffer): Promise<void> {
  const file = await fs.open(at, 'read');
  try {
    for (let offset = 0, pieces = await file.read(0, 512); pieces.length > 0 && offset < 10_000; pieces = await file.read(offset, 512))
      offset += pieces.reduce((sum, { length }) => sum + length, 0) || 10_000;
  } finally {
    await file.close();
  }
}

async function act(fs: FileSystem, random: Random): Promise<void> {
  const { pick, int } = random;
  const at = (name: string): Buffer => Buffer.from(`/${name}`);
  const name = pick(['f1', 'f19', 'sub', 'elo', 'nada', `novo${int(0, 9)}`]);
  const acts: readonly (() => Promise<unknown>)[] = [
    () => listed(fs, at(pick(['', 'sub', 'f1']))),
    () => fs.stat(at(name)),
    () => fs.lstat(at(name)),
    () => fs.realpath(at(name)),
    () => fs.readLink(at('elo')),
    () => fs.space(at('')),
    () => readWhole(fs, at(name)),
    () => fs.makeFolder(at(`novo${int(0, 9)}`), 0o700),
    () => fs.rename(at('novo1'), at('novo2')),
    () => fs.setModified(at('f1'), int(-1, 2 ** 40)),
    async () => {
      const pinned = await fs.pinned();
      const held = await pinned.hold(at(pick(['sub', 'elo'])), pick(['follow', 'refuse']));
      await held.close();
      pinned.release();
    },
  ];
  await pick(acts)();
}

/** The clock is put forward where nothing happens: what is silent ends by its deadline. */
function quickClock() {
  const due = new Set<{ readonly atMs: number; readonly fn: () => void }>();
  let nowMs = 0;
  return {
    monotonicMs: () => nowMs,
    at: (atMs: number, fn: () => void) => {
      const one = { atMs, fn };
      due.add(one);
      return () => void due.delete(one);
    },
    forward: () => {
      nowMs += limits.sftpAnswerMsMax / 4;
      for (const one of due) if (one.atMs <= nowMs && due.delete(one)) one.fn();
    },
  };
}

test('whatever a server says, each question ends, with an answer or by its code', { timeout: 1_200_000 }, async () => {
  const [ends, codes] = [{ answered: 0, failed: 0 }, new Map<string, number>()];
  for (let n = 0; n < conversations; n += 1) {
    const random = createRandom(seed + n);
    const clock = quickClock();
    const files = await someFiles();
    const lines: Duplex[] = [];
    const open = async (): Promise<Duplex> => {
      const line = hostileLine(files, random);
      lines.push(line);
      return line;
    };
    const fs = createSftpFileSystem({ open, clock: clock as never });
    for (let step = 0; step < 6; step += 1) {
      const ended = { is: false };
      const done = act(fs, random).then(
        () => void (ends.answered += 1),
        (error: unknown) => {
          const isCoded = error instanceof SvcError || error instanceof FileFault;
          if (!isCoded) throw new Error(`conversation ${seed + n}, step ${step}`, { cause: error });
          ends.failed += 1;
          const code = error instanceof SvcError ? error.code : error.errno;
          codes.set(code, (codes.get(code) ?? 0) + 1);
        },
      );
      void done.catch(() => undefined).finally(() => (ended.is = true));
      for (let waits = 0; !ended.is; waits += 1) {
        await turn();
        if (waits % 25 === 24) clock.forward();
        if (waits > 4_000) throw new Error(`conversation ${seed + n}, step ${step} does not end`);
      }
      await done;
    }
    await fs.close();
    // Each is a session of the account's ssh connection.
    expect([seed + n, lines.filter((line) => !line.destroyed).length]).toEqual([seed + n, 0]);
  }
  tellCount(`sftp: ${conversations} hostile conversations, ${ends.answered} answers, ${ends.failed} coded ends, 0 others, seed ${seed}`);
  expect(codes.get('FILE_FAILED')).toBeGreaterThan(conversations / 20);
  expect(ends.answered).toBeGreaterThan(conversations);
});
