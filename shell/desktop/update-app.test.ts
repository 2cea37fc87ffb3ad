import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AppProjection } from '../../schema/wire/http.ts';
import type { AppsModel, AppsState } from '../state/apps.ts';
import { createSignal } from '../state/signal.ts';
import { createUnsaved } from '../windows/unsaved.ts';
import type { Toast } from '../windows/shell.ts';
import { updateApp, type UpdateDesk } from './update-app.ts';

const waiting = { id: 'notas', name: 'Notas', version: '1.0.0', update: '1.1.0', updateOthers: 0, status: 'running' } as AppProjection;
let acts: string[];
let desk: UpdateDesk;
const stop = async (app: string): Promise<void> => void acts.push(`stop ${app}`);
const see = (changes: Partial<AppProjection> | null): void =>
  desk.apps.state.set({ apps: changes === null ? [] : [{ ...waiting, ...changes }], loaded: true, error: null });

beforeEach(() => {
  vi.useFakeTimers();
  acts = [];
  const state = createSignal<AppsState>({ apps: [waiting], loaded: true, error: null });
  const find = (id: string): AppProjection | undefined => state.get().apps.find((app) => app.id === id);
  const ask = async (): Promise<boolean> => true;
  const unsaved = createUnsaved({ act: () => updateApp(desk, 'notas', stop), save: () => undefined, saveMsMax: 15_000 });
  desk = {
    apps: { state, find, ask } as AppsModel,
    windows: { ofApp: () => [{ id: 'w1' }, { id: 'w2' }] },
    frames: new Map(['w1', 'w2'].map((id) => [id, { reload: () => acts.push(`reload ${id}`) }])),
    activate: (id: string) => acts.push(`activate ${id}`),
    announcement: createSignal(''),
    toast: createSignal<Toast | null>(null),
    updating: createSignal<ReadonlyMap<string, string>>(new Map()),
    unsaved,
  } as unknown as UpdateDesk;
});
afterEach(() => void vi.useRealTimers());

/** Stops it and lets the desktop see it stopped. */
async function stopped(): Promise<void> {
  updateApp(desk, 'notas', stop);
  see({ status: 'stopped' });
  await vi.advanceTimersByTimeAsync(0);
}

test('each window with something unsaved is asked about before the app stops, and a no leaves everything', () => {
  desk.unsaved.say('w1', { name: null, saves: false });
  desk.unsaved.say('w2', { name: null, saves: false });
  updateApp(desk, 'notas', stop);
  desk.unsaved.answer('w1', 'discard');
  expect([acts, desk.unsaved.asking.get().get('w2')?.act]).toEqual([['activate w1', 'activate w2'], 'update']);
  desk.unsaved.answer('w2', 'stay');
  expect([acts.length, desk.updating.get().size]).toEqual([2, 0]);
  updateApp(desk, 'notas', stop);
  desk.unsaved.say('w2', null);
  expect(acts.at(-1)).toBe('stop notas');
  expect([...desk.updating.get()]).toEqual([['notas', '1.1.0']]);
});

test('the windows load again once the version is there, and it is asked for once', async () => {
  await stopped();
  updateApp(desk, 'notas', stop);
  see({ status: 'stopped', update: null });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(acts).toEqual(['stop notas']);
  see({ status: 'stopped', update: null, version: '1.1.0' });
  await vi.advanceTimersByTimeAsync(0);
  expect([acts, desk.updating.get().size, desk.toast.get()]).toEqual([['stop notas', 'reload w1', 'reload w2'], 0, null]);
});

test.for([
  ['somebody else who started it meanwhile', { status: 'stopped', updateOthers: 1 }, 0, 'outra pessoa'],
  ['a start in another page', { status: 'running' }, 0, 'ainda não chegou'],
  ['an installation that takes too long', { status: 'stopped', update: null }, 600_000, 'ainda não chegou'],
] as const)('%s: the app is back in the version that is there, and it is told', async ([, sees, ms, words]) => {
  await stopped();
  see(sees);
  await vi.advanceTimersByTimeAsync(ms);
  expect(desk.toast.get()?.words).toContain(words);
  expect([acts, desk.updating.get().size]).toEqual([['stop notas', 'reload w1', 'reload w2'], 0]);
});

test('a stop that is refused is told, and no window loads again', async () => {
  updateApp(desk, 'notas', async () => await Promise.reject(new Error('no')));
  await vi.advanceTimersByTimeAsync(0);
  expect([acts, desk.updating.get().size, desk.toast.get() === null]).toEqual([[], 0, false]);
});

test('nothing happens for an app without an update', () => {
  see({ update: null });
  updateApp(desk, 'notas', stop);
  expect(acts).toEqual([]);
});
