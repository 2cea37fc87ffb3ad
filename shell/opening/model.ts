/**
 * Types that apps open and entries that they add to menus, as the portal reports them: read at the beginning and whenever apps change; no
 * app is started for it.
 */
import type { PortalEvent } from '../../schema/wire/events.ts';
import type { SettingsAnswer } from '../../schema/wire/settings.ts';
import { createRetry } from '../state/retry.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import type { FileToOpen, Opener } from './file-type.ts';
import type { Destination } from './kinds.ts';
import type { Shell } from '../windows/shell.ts';
import type { PreferencesModel } from '../preferences/model.ts';
import type { Grants } from './grants.ts';

export interface OpeningDesk extends Shell {
  readonly preferences: PreferencesModel;
  /** Opens files and links, and holds what apps add to menus. */
  readonly opening: OpeningModel;
  /** Files that the person gave to apps. */
  readonly grants: Grants;
  /** By what is elected for its type or was chosen; else the person is asked. */
  openFile(file: FileToOpen): Promise<void>;
}

/** A part of the desktop that opens files itself; `@terminal` opens a folder. */
export type Place = Destination | '@terminal';

export interface Provider {
  readonly open: (file: FileToOpen) => void;
  /** Without it: every file. */
  readonly takes?: (file: FileToOpen) => boolean;
}

export interface OpeningModel {
  /** [] until the portal answered. */
  readonly openers: Signal<readonly Opener[]>;
  /** Parts of the desktop that are there. */
  readonly places: Signal<ReadonlyMap<Place, Provider>>;
  /** The file that the person is asked about: what opens it. */
  readonly asked: Signal<FileToOpen | null>;
  /** Resolves once the portal answered, or after two seconds with what is known. */
  known(): Promise<readonly Opener[]>;
  /** A part of the desktop says that it opens files. */
  provide(place: Place, provider: Provider): void;
  refresh(): void;
  apply(event: PortalEvent): void;
}

const waitMsMax = 2_000;

export function createOpeningModel(read: () => Promise<Pick<SettingsAnswer, 'apps'>>): OpeningModel {
  const openers = createSignal<readonly Opener[]>([]);
  const places = createSignal<ReadonlyMap<Place, Provider>>(new Map());
  const answered = Promise.withResolvers<void>();
  let reading = false;
  let again = false;
  const refresh = async (): Promise<void> => {
    again = reading;
    if (reading) return;
    reading = true;
    try {
      openers.set((await read()).apps);
      retry.succeeded();
      answered.resolve();
    } catch (error) {
      retry.failed(error);
    }
    reading = false;
    if (again) await refresh();
  };
  const retry = createRetry(() => void refresh());
  return {
    openers,
    places,
    asked: createSignal<FileToOpen | null>(null),
    known: async () => {
      await Promise.race([answered.promise, new Promise((resolve) => void setTimeout(resolve, waitMsMax))]);
      return openers.get();
    },
    provide: (place, provider) => places.set(new Map([...places.get(), [place, provider]])),
    refresh: () => void refresh(),
    apply: ({ type }) => {
      if (type === 'apps-changed') void refresh();
    },
  };
}
