/** Inputs and acts of a section of Settings. */
import type { Preferences, PreferencesPatch } from '../../schema/wire/preferences.ts';
import type { SettingsState } from './model.ts';
import type { EnginesModel } from '../engines/engines.ts';
import type { OpeningDesk } from '../opening/model.ts';
import type { SecretsDesk } from '../secrets/svc-secrets.ts';
import type { SettingsModel } from './model.ts';

export interface SettingsDesk extends OpeningDesk, SecretsDesk {
  readonly settings: SettingsModel;
  readonly engines: EnginesModel;
  /** Loads the page of an app again; asks before, where something in it is not saved. */
  reload(id: string): void;
}

export interface SettingsContext {
  readonly desk: SettingsDesk;
  readonly chosen: Preferences;
  readonly state: SettingsState;
  readonly busy: boolean;
  /** Stored by the portal; a refusal is shown. */
  readonly change: (patch: PreferencesPatch) => void;
  /** Runs an act and shows its failure; `done` is said to a screen reader. */
  readonly act: (work: () => Promise<unknown>, done: string) => void;
}
