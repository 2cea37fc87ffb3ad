import { expect, test } from 'vitest';
import { createGate } from './connections.ts';
import { createFileCache } from './file-cache.ts';

test('a file is read once, also by those who ask at the same time, and what is missing is asked for again', async () => {
  const cache = createFileCache(100);
  let reads = 0;
  const read = (bytes: Uint8Array | null) => async (): Promise<Uint8Array | null> => {
    reads += 1;
    return bytes;
  };
  const icon = Buffer.alloc(10);
  const found = await Promise.all([cache.get('a', read(icon)), cache.get('a', read(icon))]);
  expect([found, await cache.get('a', read(null)), reads]).toEqual([[icon, icon], icon, 1]);
  expect([await cache.get('b', read(null)), await cache.get('b', read(icon)), reads]).toEqual([null, icon, 3]);
});

test('it holds so many bytes, and the least lately used goes first', async () => {
  const cache = createFileCache(30);
  const reads: string[] = [];
  const get = (key: string) =>
    cache.get(key, async () => {
      reads.push(key);
      return Buffer.alloc(10);
    });
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await get(key);
  expect(reads).toEqual(['a', 'b', 'c', 'd', 'b']);
});

test('a read that failed is not remembered', async () => {
  const cache = createFileCache();
  await expect(cache.get('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
  expect(await cache.get('a', async () => Buffer.from('x'))).toEqual(Buffer.from('x'));
});

test('the gate lets so many through at once, in order, also past one that failed', async () => {
  const gate = createGate(2);
  const order: string[] = [];
  let running = 0;
  let most = 0;
  const work = (name: string, fails = false) =>
    gate(async () => {
      running += 1;
      most = Math.max(most, running);
      order.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      if (fails) throw new Error(name);
    }).catch(() => undefined);
  await Promise.all([work('a', true), work('b'), work('c', true), work('d'), work('e')]);
  expect([most, order]).toEqual([2, ['a', 'b', 'c', 'd', 'e']]);
});
