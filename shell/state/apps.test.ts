import { describe, expect, test } from 'vitest';
import type { AppProjection } from '../../schema/wire/http.ts';
import { createAppsModel, patched } from './apps.ts';

const app = (fields: Partial<AppProjection>): AppProjection => ({ id: 'notas', status: 'stopped', ready: false, step: null, ...fields }) as AppProjection;
const status = { type: 'app-status', app: 'notas', status: 'running', ready: true, reason: 'Healthy', message: '' } as const;

describe('an event', () => {
  test('changes the app that it names', () => {
    expect(patched(app({}), status)).toMatchObject({ status: 'running', ready: true, reason: 'Healthy' });
    expect(patched(app({ id: 'outro' }), status).status).toBe('stopped');
  });

  test('a step is shown until the start is over', () => {
    const starting = patched(app({ status: 'starting' }), { type: 'app-step', app: 'notas', step: 'probe', detail: '2/15' });
    expect(starting.step).toEqual({ name: 'probe', detail: '2/15' });
    expect(patched(starting, status).step).toBeNull();
  });
});

describe('reading', () => {
  test('many events become few readings, and the last one is after the last event', async () => {
    let served = 0;
    const store = createAppsModel(async () => Promise.resolve([app({ version: String(++served) })]));
    store.refresh();
    await expect.poll(() => store.state.get().loaded).toBe(true);
    for (let n = 0; n < 50; n++) store.apply(status);
    await expect.poll(() => store.find('notas')?.version).toBe('2');
    expect(served).toBe(2);
  });

  test('a reading that failed is made again, without any event', { tags: ['costly'] }, async () => {
    const answers = [new Error('away'), new Error('away'), [app({})]];
    const store = createAppsModel(async () => {
      const next = answers.shift() ?? [];
      if (next instanceof Error) throw next;
      return Promise.resolve(next);
    });
    store.refresh();
    await expect.poll(() => store.state.get()).toMatchObject({ loaded: false, error: 'away' });
    await expect.poll(() => store.state.get()).toMatchObject({ loaded: true, error: null });
    expect(answers).toEqual([]);
  });

  test('an event during a reading leads to one more', async () => {
    const answers: ((apps: readonly AppProjection[]) => void)[] = [];
    const store = createAppsModel(async () => await new Promise((resolve) => answers.push(resolve)));
    store.refresh();
    store.refresh();
    store.refresh();
    expect(answers).toHaveLength(1);
    answers[0]!([]);
    await expect.poll(() => answers).toHaveLength(2);
  });

  test('an answer that was under way does not take back what an event said', async () => {
    const answers: ((apps: readonly AppProjection[]) => void)[] = [];
    const store = createAppsModel(async () => await new Promise((resolve) => answers.push(resolve)));
    store.refresh();
    store.apply({ ...status, status: 'stopped', ready: false, reason: 'StoppedByPerson' });
    answers[0]!([app({ status: 'running', ready: true })]);
    await expect.poll(() => store.state.get().loaded).toBe(true);
    expect(store.find('notas')).toMatchObject({ status: 'stopped', ready: false });
    await expect.poll(() => answers).toHaveLength(2);
    answers[1]!([app({ status: 'running', ready: true })]);
    await expect.poll(() => store.find('notas')).toMatchObject({ status: 'running', ready: true });
  });

  test('a question is answered by a reading that began after it', async () => {
    const answers: { readonly resolve: (apps: readonly AppProjection[]) => void; readonly reject: (error: Error) => void }[] = [];
    const store = createAppsModel(async () => await new Promise((resolve, reject) => answers.push({ resolve, reject })));
    store.refresh();
    const asked = store.ask();
    expect(answers).toHaveLength(1);
    answers[0]!.resolve([app({})]);
    await expect.poll(() => answers).toHaveLength(2);
    answers[1]!.reject(new Error('fora do ar'));
    expect(await asked).toBe(false);
    const again = store.ask();
    answers[2]!.resolve([app({ ready: true })]);
    expect(await again).toBe(true);
    expect(store.find('notas')?.ready).toBe(true);
  });

  test('a failure keeps what was known and says why', async () => {
    let fail = false;
    const store = createAppsModel(async () => {
      if (fail) throw new Error('fora do ar');
      return await Promise.resolve([app({})]);
    });
    store.refresh();
    await expect.poll(() => store.state.get().loaded).toBe(true);
    fail = true;
    store.refresh();
    await expect.poll(() => store.state.get().error).toBe('fora do ar');
    expect(store.state.get().apps).toHaveLength(1);
  });
});
