/** State that the portal of `svc dev` reports about the app under development; null on every other portal. */
import type { DevAnswer, DevChange } from '../../schema/wire/dev.ts';
import type { PortalEvent } from '../../schema/wire/events.ts';
import { createRetry } from '../state/retry.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import type { Shell } from '../windows/shell.ts';

export interface DevDesk extends Shell {
  /** Model of `svc dev`; null on every other portal. */
  readonly dev: DevModel | null;
}

export interface DevModel {
  readonly app: string;
  /** Null until it was read. */
  readonly state: Signal<DevAnswer | null>;
  apply(event: PortalEvent): void;
  refresh(): void;
}

interface DevDeps {
  readonly read: () => Promise<DevAnswer>;
  /** The pages of the app load again, or their style sheets alone. */
  readonly reload: (what: 'page' | 'styles') => void;
}

export function createDevModel(app: string, { read, reload }: DevDeps): DevModel {
  const state = createSignal<DevAnswer | null>(null);
  let reading = false;
  let again = false;
  const refresh = (): void => {
    again = true;
    if (!reading) void readAll();
  };
  const retry = createRetry(refresh);
  const readAll = async (): Promise<void> => {
    reading = true;
    while (again) {
      again = false;
      try {
        state.set(await read());
        retry.succeeded();
      } catch (error) {
        // The last state stays shown.
        retry.failed(error);
      }
    }
    reading = false;
  };
  return {
    app,
    state,
    refresh,
    apply: (event) => {
      if (event.type !== 'dev') return;
      if (event.reload !== 'no') reload(event.reload);
      refresh();
    },
  };
}

type Trouble = { readonly kind: 'manifest'; readonly text: string } | { readonly kind: 'crashed' | 'unbuilt'; readonly change: DevChange };

/** The trouble that the person has to see now: errors of the manifest, or how the backend ended. Null: none. */
export function troubleOf(state: DevAnswer | null): Trouble | null {
  const [error] = state?.manifest ?? [];
  if (error !== undefined) return { kind: 'manifest', text: error };
  const change = state?.last ?? null;
  return change?.outcome === 'crashed' || change?.outcome === 'unbuilt' ? { kind: change.outcome, change } : null;
}
