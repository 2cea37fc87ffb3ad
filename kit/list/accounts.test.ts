import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ListLine } from '../../schema/list-lines.ts';
import { limits } from '../limits.ts';
import { listOwn } from './accounts.ts';

/** Prints a line of as many bytes as the name of its home says, or of numbers that are longer when they are written again. */
const program = `const bytes = Math.abs(Number(process.env.HOME.split('/').at(-1)));
if (process.env.HOME.includes('-')) process.stdout.write('{"event":"bad","x":[' + '1e20,'.repeat(bytes / 5) + '1]}\\n');
else process.stdout.write(JSON.stringify({ event: 'bad', account: 'x', folder: '/', message: 'm'.repeat(bytes) }) + '\\n');`;

test('whoever has more packages of their own than one may keeps no list from others, nor do many together', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-own-'));
  const [, before = ''] = process.argv;
  onTestFinished(() => {
    process.argv[1] = before;
    rmSync(folder, { recursive: true, force: true });
  });
  process.argv[1] = join(folder, 'prints.cjs');
  writeFileSync(process.argv[1], program);
  const accountOf = (name: string, bytes: number) => ({ name, uid: process.getuid!(), gid: process.getgid!(), home: `/${bytes}` });
  const listed = async (bytesMax: number, ...sizes: readonly number[]): Promise<readonly string[]> => {
    const lines: ListLine[] = [];
    const accounts = sizes.map((bytes, at) => accountOf(`p${at}`, bytes));
    await listOwn(accounts as never, '', (line) => lines.push(line), bytesMax);
    return lines.map((line) => `${'account' in line ? line.account : ''} ${'unread' in line ? 'unread' : 'listed'}`).toSorted();
  };
  expect(await listed(limits.ownListsBytesMax, limits.accountListBytesMax, 100)).toEqual(['p0 unread', 'p1 listed']);
  expect(await listed(limits.ownListsBytesMax, -limits.accountListBytesMax / 2, 100)).toEqual(['p0 unread', 'p1 listed']);
  const together = await listed(2_500, 1_000, 1_000, 1_000, 1_000);
  expect(together.filter((one) => one.endsWith('listed'))).toHaveLength(2);
});
