/** The contract of files on all three ways, of which two are answered by Node's fs in a process of its own. Needs root: an sshd and a process become an account. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, mkdtemp, readFile, readlink, rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startSshd, type TestSshd } from '../../test/support/sshd.ts';
import { systemClock } from '../clock/system.ts';
import { createConnections } from '../hosts/ssh/connections.ts';
import { filesOver } from '../hosts/ssh/host.ts';
import { createAccountFileSystem } from './account-files.ts';
import { openContent } from './content.ts';
import { codedFault, type FileFault } from './file-fault.ts';
import type { FileSystem } from './file-system.ts';
import { copyTo, moveTo } from './moving.ts';
import { save } from './saving.ts';
import { put, testFileSystem, type FilesUnderTest } from './testing/file-system-contract.ts';

const run = async (program: string, ...args: readonly string[]): Promise<string> => (await promisify(execFile)(program, args)).stdout;

let sshd: TestSshd;
let ways: Record<'ssh' | 'account' | 'portal', FileSystem>;
let folder: Buffer;
let count = 0;
let connections: ReturnType<typeof createConnections>;

beforeAll(async () => {
  sshd = await startSshd({ accounts: 1, config: ['Subsystem sftp internal-sftp'] });
  const [account] = sshd.accounts;
  if (account === undefined) throw new Error('no account');
  const privateKey = await readFile(sshd.keyFile);
  connections = createConnections({
    target: { host: '127.0.0.1', port: sshd.port, hostKey: sshd.hostKey },
    admin: 'root',
    credential: async () => ({ kind: 'key', privateKey }),
    clock: systemClock,
  });
  await run('usermod', '-aG', 'users', account.name);
  const { stdout } = await promisify(execFile)('id', ['-g', account.name]);
  ways = {
    ssh: filesOver(connections.of(account.name), systemClock),
    account: createAccountFileSystem({ name: account.name, uid: account.uid, gid: Number(stdout), home: account.home }, systemClock),
    portal: createAccountFileSystem(null, systemClock),
  };
});
afterAll(async () => {
  await ways?.ssh.close();
  await ways?.account.close();
  await ways?.portal.close();
  connections?.close();
  await sshd?.stop();
});
beforeEach(async () => {
  const [account] = sshd.accounts;
  count += 1;
  const made = `${account?.home}/t${count}`;
  await mkdir(made);
  await chown(made, account?.uid ?? 0, account?.uid ?? 0);
  folder = Buffer.from(made);
});

const under = (way: 'ssh' | 'account' | 'portal') => (): FilesUnderTest => ({
  fs: ways[way],
  folder,
  isRoot: way === 'portal',
  path: (name) => Buffer.concat([folder, Buffer.from('/'), Buffer.from(name)]),
});

testFileSystem('over ssh', under('ssh'));
testFileSystem('by a process that became the account', under('account'));
testFileSystem('as the account of the portal', under('portal'));

const once = async function* (text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
};
/** Group, mode, ACL and attributes, as the kernel says them. */
const said = async (file: string): Promise<readonly string[]> => [
  await run('stat', '-c', '%g %a %h', file),
  await run('getfacl', '-cnp', file),
  await run('getfattr', '--absolute-names', '--only-values', '-n', 'user.x', file).catch(() => 'none'),
];

test.for(['ssh', 'account', 'portal'] as const)(
  '%s: a save and a copy keep group, mode, ACL and attributes; a move to another file system second names too',
  async (way) => {
    const fs = ways[way];
    const at = (name: string): string => `${folder.toString()}/${name}`;
    await fs.makeFolder(Buffer.from(at('obra')), 0o755);
    const file = Buffer.concat([Buffer.from(at('obra/a')), Buffer.from([0xff, 0x0a])]);
    await put(fs, file, Buffer.from('velho'));
    await put(fs, Buffer.from(at('obra/a')), Buffer.from('velho'));
    await fs.setMode(Buffer.from(at('obra/a')), 0o664);
    await run('chgrp', 'users', at('obra'), at('obra/a'));
    await run('chmod', '2775', at('obra'));
    await run('setfacl', '-m', 'u:nobody:rw', at('obra/a'));
    await run('setfattr', '-n', 'user.x', '-v', 'um', at('obra/a'));
    const before = await said(at('obra/a'));
    await save(fs, Buffer.from(at('obra/a')), once('novo'), { matches: null, isNew: false, bytes: 4 });
    expect([await said(at('obra/a')), await readFile(at('obra/a'), 'utf8')]).toEqual([before, 'novo']);

    await fs.link(Buffer.from(at('obra/a')), Buffer.from(at('obra/b')));
    await fs.symlink(Buffer.from('a'), Buffer.from(at('obra/elo')));
    await fs.setMode(file, 0o444);
    const over = save(fs, file, once('new'), { matches: null, isNew: false, bytes: 3 });
    // Nothing is read-only for root.
    expect(
      await over.then(
        () => 'saved',
        (error: unknown) => (error as FileFault).errno,
      ),
    ).toBe(way === 'portal' ? 'saved' : 'EACCES');
    const quietly = { signal: new AbortController().signal, bytes: () => undefined, file: () => undefined };
    const whole = await Promise.all(['obra', 'obra/a', 'obra/b'].map((name) => said(at(name))));
    await copyTo(fs, Buffer.from(at('obra')), Buffer.from(at('copia')), 'recusar', quietly);
    expect(await Promise.all(['copia', 'copia/a', 'copia/b'].map((name) => said(at(name))))).toEqual(whole);

    const other = await mkdtemp('/dev/shm/svc-files-');
    try {
      await chmod(other, 0o777);
      await moveTo(fs, Buffer.from(at('obra')), Buffer.from(`${other}/obra`), 'recusar', quietly);
      const moved = await Promise.all(['obra', 'obra/a', 'obra/b'].map((name) => said(`${other}/${name}`)));
      // Not every kernel has attributes of people on tmpfs.
      expect(moved.map((one) => one.slice(0, 2))).toEqual(whole.map((one) => one.slice(0, 2)));
      expect((await lstat(Buffer.concat([Buffer.from(`${other}/obra/a`), Buffer.from([0xff, 0x0a])]))).mode & 0o777).toBe(0o444);
      expect([await readlink(`${other}/obra/elo`), await readFile(`${other}/obra/b`, 'utf8'), existsSync(at('obra'))]).toEqual([
        'a',
        'novo',
        false,
      ]);
    } finally {
      await rm(other, { recursive: true });
    }
  },
);

test.for(['ssh', 'account', 'portal'] as const)('%s: a copy keeps holes', async (way) => {
  const fs = ways[way];
  const [from, to] = ['de\n', 'a'].map((name) => Buffer.from(`${folder.toString()}/${name}`)) as [Buffer, Buffer];
  const quietly = { signal: new AbortController().signal, bytes: () => undefined, file: () => undefined };
  const MiB = 1_024 * 1_024;
  // Nearly nothing; nothing at the end; more than half of it is there; small.
  for (const { size, written } of [
    {
      size: 2_048 * MiB,
      written: [
        [700 * MiB, 'meio'],
        [2_048 * MiB - 3, 'fim'],
      ] as const,
    },
    { size: 2_048 * MiB, written: [[5, 'x'.repeat(100)]] as const },
    { size: 30 * MiB, written: [[3, 'y'.repeat(20 * MiB)]] as const },
    { size: 8 * MiB, written: [[MiB, 'z']] as const },
    { size: 8 * MiB, written: [] as const },
  ]) {
    await put(fs, from, Buffer.alloc(0));
    const file = await fs.open(from, 'write');
    await run('truncate', '-s', String(size), from.toString());
    const step = fs.pieceBytes();
    for (const [at, text] of written)
      for (let done = 0; done < text.length; done += step) await file.write(at + done, [Buffer.from(text.slice(done, done + step))]);
    await file.close();
    await copyTo(fs, from, to, 'recusar', quietly);
    const [one, other] = [await lstat(from), await lstat(to)];
    expect(other.size).toBe(size);
    expect(other.blocks, `${size}`).toBeLessThanOrEqual(one.blocks + 1_024);
    // Reading all of a hole takes seconds of a processor: of the large files what is around the bytes that were written, and the ends.
    const places = size > 100 * MiB ? [0, size - MiB, ...written.map(([at]) => Math.max(0, at - MiB))] : [0];
    for (const at of places)
      await run('cmp', `--ignore-initial=${at}`, `--bytes=${size > 100 * MiB ? 2 * MiB : size}`, from.toString(), to.toString());
    await fs.removeFile(from);
    await fs.removeFile(to);
  }
});

test.for(['ssh', 'account', 'portal'] as const)(
  '%s: files of /sys and /proc are read and copied, or it is said that they give nothing',
  async (way) => {
    const fs = ways[way];
    const quietly = { signal: new AbortController().signal, bytes: () => undefined, file: () => undefined };
    for (const path of ['/sys/kernel/mm/transparent_hugepage/enabled', '/sys/devices/system/cpu/online', '/proc/version']) {
      const [content, there] = [await openContent(fs, Buffer.from(path)), await readFile(path, 'utf8')];
      const pieces: Uint8Array[] = [];
      for await (const piece of content.read(0, content.bytes - 1)) pieces.push(piece);
      await content.close();
      expect([content.bytes, Buffer.concat(pieces).toString()]).toEqual([there.length, there]);
      await copyTo(fs, Buffer.from(path), Buffer.from(`${folder.toString()}/copia`), 'substituir', quietly);
      expect(await readFile(`${folder.toString()}/copia`, 'utf8')).toBe(there);
    }
    // A processor suspends nothing by itself.
    const failed = await openContent(fs, Buffer.from('/sys/devices/system/cpu/cpu0/power/autosuspend_delay_ms')).catch((error: unknown) =>
      codedFault(error, Buffer.from('/sys/devices/system/cpu/cpu0/power/autosuspend_delay_ms')),
    );
    expect(failed).toMatchObject({
      code: 'FILE_UNREADABLE',
      message: expect.stringMatching(/^"autosuspend_delay_ms": its content can not be read \(E(IO|FAIL)\)$/),
    });
  },
);
