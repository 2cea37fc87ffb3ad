import { expect, test, vi } from 'vitest';
import type { AppProjection } from '../../schema/wire/http.ts';
import type { AppsModel, AppsState } from '../state/apps.ts';
import { createSignal } from '../state/signal.ts';
import type { WindowManager } from '../windows/manager.ts';
import type { Toast } from '../windows/shell.ts';
import { tellUpdates } from './tell-updates.ts';

const app = (id: string, update: string | null, pid: number | null = 7) => ({ id, name: id, update, pid }) as AppProjection;

test('whoever runs an app without a window of it is told once of each version that waits, one after the other, and the button stops it', () => {
  const state = createSignal<AppsState>({ apps: [], loaded: true, error: null });
  const toast = createSignal<Toast | null>(null);
  const windows = { ofApp: (id: string) => (id === 'placa' ? [{}] : []) } as unknown as WindowManager;
  const stop = vi.fn<(app: string) => Promise<void>>(async () => undefined);
  tellUpdates({ apps: { state } as unknown as AppsModel, toast, announcement: createSignal(''), windows }, stop);
  const seen = (...apps: readonly AppProjection[]): string | undefined => {
    state.set({ apps, loaded: true, error: null });
    return toast.get()?.words;
  };
  expect(seen(app('notas', null), app('relogio', '2.0.0', null), app('placa', '2.0.0'))).toBeUndefined();
  expect(seen(app('notas', '1.1.0'), app('eco', '3.0.0'))).toContain('notas 1.1.0');
  toast.get()?.open?.();
  expect(stop.mock.calls).toEqual([['notas']]);
  toast.set(null);
  expect(seen(app('notas', '1.1.0'), app('eco', '3.0.0'))).toContain('eco 3.0.0');
  toast.set(null);
  expect(seen(app('notas', '1.1.0'), app('eco', '3.0.0'))).toBeUndefined();
  expect(seen(app('notas', '1.2.0'))).toContain('notas 1.2.0');
});
