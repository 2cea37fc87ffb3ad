import { expect, test } from 'vitest';
import type { DevAnswer } from '../../schema/wire/dev.ts';
import { createDevModel, troubleOf } from './model.ts';

const answer = (more: Partial<DevAnswer> = {}): DevAnswer => ({
  app: 'ola',
  folder: '/a',
  mode: 'folder',
  manifest: [],
  last: null,
  log: [],
  ...more,
});

test('what svc dev says is read again after each event, once for many, and pages are renewed at once', async () => {
  const asked: ((state: DevAnswer) => void)[] = [];
  const renewed: string[] = [];
  const model = createDevModel('ola', {
    read: () => new Promise((resolve) => asked.push(resolve)),
    reload: (what) => renewed.push(what),
  });
  model.apply({ type: 'dev', reload: 'no' });
  model.apply({ type: 'dev', reload: 'page' });
  model.apply({ type: 'dev', reload: 'styles' });
  model.apply({ type: 'avisos' });
  expect(renewed).toEqual(['page', 'styles']);
  expect(asked.length).toBe(1);
  asked[0]?.(answer());
  await expect.poll(() => asked.length).toBe(2);
  asked[1]?.(answer({ folder: '/b' }));
  await expect.poll(() => model.state.get()?.folder).toBe('/b');
  expect(asked.length).toBe(2);
});

test('errors of the manifest are told before a crash; both are gone when they are mended', () => {
  const change = { files: [], outcome: 'crashed', atMs: 1, tookMs: 2, reason: 'ExitedAtOnce', detail: 'exit code 1' } as const;
  expect(troubleOf(null)).toBeNull();
  expect(troubleOf(answer({ last: { ...change, files: [], outcome: 'ready' } }))).toBeNull();
  expect(troubleOf(answer({ last: { ...change, files: [] } }))?.kind).toBe('crashed');
  expect(troubleOf(answer({ last: { ...change, files: [] }, manifest: ['svc-app.json:1:1 …'] }))).toEqual({
    kind: 'manifest',
    text: 'svc-app.json:1:1 …',
  });
});
