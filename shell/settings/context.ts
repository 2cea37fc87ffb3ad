/** Inputs and acts of a section of Settings. */
import type { Preferences, PreferencesPatch } from '../../schema/wire/preferences.ts';
import type { Desk } from '../desktop/desk.ts';
import type { SettingsState } from './model.ts';

export interface SettingsContext {
  readonly desk: Desk;
  readonly chosen: Preferences;
  readonly state: SettingsState;
  readonly busy: boolean;
  /** Stored by the portal; a refusal is shown. */
  readonly change: (patch: PreferencesPatch) => void;
  /** Runs an act and shows its failure; `done` is said to a screen reader. */
  readonly act: (work: () => Promise<unknown>, done: string) => void;
}
