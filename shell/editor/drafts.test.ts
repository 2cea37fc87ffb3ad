import { expect, test } from 'vitest';
import { createDrafts, type Draft } from './drafts.ts';

test('a draft that could not be read is neither written over nor dropped', async () => {
  const shelf = new Map<string, Draft>();
  const db = {
    get: async (_: string, [, caminho]: readonly [string, string]) => shelf.get(caminho),
    getAll: async () => [...shelf.values()],
    put: async (_: string, draft: Draft) => void shelf.set(draft.caminho, draft),
    delete: async (_: string, [, caminho]: readonly [string, string]) => void shelf.delete(caminho),
  };
  let isAway = false;
  const drafts = () =>
    createDrafts(
      'ana',
      () => 1,
      async (act) => {
        if (isAway) throw new Error('late');
        return await act(db as unknown as Parameters<typeof act>[0]);
      },
    );
  const textOf = (texto: string) => ({ texto, formato: {} as Draft['formato'], etag: '"1"' });
  await drafts().keep('/a', textOf('before'));
  const later = drafts();
  isAway = true;
  await expect(later.find('/a')).rejects.toThrow('late');
  isAway = false;
  await expect(later.keep('/a', textOf('after'))).rejects.toThrow('not shown');
  await later.drop('/a');
  expect(shelf.get('/a')?.texto).toBe('before');
  expect((await later.find('/a'))?.texto).toBe('before');
  await later.keep('/a', textOf('after'));
  expect(shelf.get('/a')?.texto).toBe('after');
});
