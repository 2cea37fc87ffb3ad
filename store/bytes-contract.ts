/** Contract of every place of bytes, as one suite: folder-bytes.test.ts and test/postgres/bytes.real.test.ts run it. */
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Bytes, OpenBytes } from './bytes.ts';

export interface BytesFixture {
  /** The same place each time. */
  open(): Promise<Bytes>;
  remove(): Promise<void>;
}

async function put(files: Bytes, folder: string, name: string, ...parts: readonly Uint8Array[]): Promise<void> {
  const file = await files.grow(folder, name);
  for (const part of parts) await file.write(part);
  await file.close();
}

async function whole(file: OpenBytes | null, part?: { readonly start: number; readonly end: number }): Promise<Buffer | null> {
  if (file === null) return null;
  const bytes = await buffer(file.read(part));
  await file.close();
  return bytes;
}

// oxlint-disable-next-line max-lines-per-function -- one suite
export function bytesContract(create: () => BytesFixture): void {
  // oxlint-disable-next-line max-lines-per-function -- one suite
  describe('bytes', () => {
    let fixture: BytesFixture;
    let files: Bytes;
    beforeEach(async () => {
      fixture = create();
      files = await fixture.open();
    });
    afterEach(async () => await fixture.remove());

    test('nothing is nothing', async () => {
      expect([await files.open('a', 'x'), await files.list('a'), await files.folders()]).toEqual([null, [], []]);
      await files.remove('a', 'x');
      await files.removeFolder('a');
      await expect(files.rename('a', 'x', 'y')).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    test('what was written is there, after opening again too, whole and in any part', async () => {
      const parts = [randomBytes(1), randomBytes(3_000_000), randomBytes(10), randomBytes(70_000)];
      const all = Buffer.concat(parts);
      await put(files, 'a/b', 'x', ...parts);
      files = await fixture.open();
      const seen = await files.open('a/b', 'x');
      expect(seen?.bytes).toBe(all.length);
      expect(Math.abs((seen?.modifiedMs ?? 0) - Date.now())).toBeLessThan(60_000);
      expect((await whole(seen))?.equals(all)).toBe(true);
      for (const [start, end] of [
        [0, 0],
        [1, 1],
        [999_999, 1_048_577],
        [1_048_576, 2_097_151],
        [all.length - 3, all.length - 1],
      ] as const)
        expect((await whole(await files.open('a/b', 'x'), { start, end }))?.equals(all.subarray(start, end + 1))).toBe(true);
    });

    test('it goes on where it was, and what is used again by who wrote it is not changed', async () => {
      const memory = Buffer.from('one ');
      await put(files, 'a', 'x', memory);
      memory.fill(0);
      const again = await files.grow('a', 'x');
      expect(again.size()).toBe(4);
      const second = Buffer.from('two');
      await again.write(second);
      second.fill(0);
      expect(again.size()).toBe(7);
      await again.close();
      expect((await whole(await files.open('a', 'x')))?.toString()).toBe('one two');
    });

    test('an empty one is there', async () => {
      await put(files, 'a', 'x');
      const seen = await files.open('a', 'x');
      expect([seen?.bytes, (await whole(seen))?.length]).toEqual([0, 0]);
    });

    test('another name takes the place of what was there', async () => {
      await put(files, 'a', 'x', Buffer.from('new'));
      await put(files, 'a', 'y', Buffer.from('what was there'));
      await files.rename('a', 'x', 'y');
      expect((await files.list('a')).map(({ name }) => name)).toEqual(['y']);
      expect((await whole(await files.open('a', 'y')))?.toString()).toBe('new');
    });

    test('one goes, or a folder with all below it, and nothing beside it', async () => {
      for (const [folder, name] of [
        ['a', 'x'],
        ['a', 'y'],
        ['a/b', 'x'],
        ['ab', 'x'],
      ] as const)
        await put(files, folder, name, Buffer.from(folder));
      expect([...(await files.folders())].sort()).toEqual(['a', 'ab']);
      await files.remove('a', 'x');
      expect((await files.list('a')).filter(({ name }) => name !== 'b').map(({ name }) => name)).toEqual(['y']);
      await files.removeFolder('a');
      expect([await files.open('a/b', 'x'), await files.folders()]).toEqual([null, ['ab']]);
      expect((await whole(await files.open('ab', 'x')))?.toString()).toBe('ab');
    });
  });
}
