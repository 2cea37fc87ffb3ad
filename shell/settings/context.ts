/** What a section of Settings is drawn from, and how it acts. */
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
  /** What goes wrong is shown; `done` is said to a screen reader. */
  readonly act: (work: () => Promise<unknown>, done: string) => void;
}
