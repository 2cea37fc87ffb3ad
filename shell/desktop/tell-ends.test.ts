import { expect, test } from 'vitest';
import type { AppProjection } from '../../schema/wire/http.ts';
import type { AppsModel, AppsState } from '../state/apps.ts';
import { createSignal } from '../state/signal.ts';
import type { Toast } from '../windows/shell.ts';
import { tellEnds } from './tell-ends.ts';

test('whoever runs an app that is ended soon is told once of each end', () => {
  const state = createSignal<AppsState>({ apps: [], loaded: true, error: null });
  const toast = createSignal<Toast | null>(null);
  tellEnds({ apps: { state } as unknown as AppsModel, toast, announcement: createSignal('') });
  const seen = (endsAtMs: number | null): string | undefined => {
    toast.set(null);
    state.set({ apps: [{ id: 'notas', name: 'Notas', endsAtMs } as AppProjection], loaded: true, error: null });
    return toast.get()?.words;
  };
  expect(seen(null)).toBeUndefined();
  expect(seen(1_000)).toContain('Notas para às');
  expect(seen(1_000)).toBeUndefined();
  expect(seen(90_000_000)).toContain('Notas para às');
});
