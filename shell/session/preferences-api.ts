/** Preferences of the person, through the portal's HTTP API. Source: schema/wire/preferences.ts. */
import type { Preferences, PreferencesPatch } from '../../schema/wire/preferences.ts';
import type { PreferencesNow } from '../preferences/model.ts';
import { ApiError, etagOf, json, send } from './api.ts';

const now = async (response: Response): Promise<PreferencesNow> => {
  const etag = etagOf(response);
  return { etag, value: await json<Preferences>(response) };
};

export const readPreferences = async (): Promise<PreferencesNow> => now(await send('GET /api/preferencias'));
/** Null: another page was faster than the reading that `etag` names. */
export async function changePreferences(patch: PreferencesPatch, etag: string): Promise<PreferencesNow | null> {
  try {
    return await now(await send('PATCH /api/preferencias', { body: patch }, { headers: { 'if-match': etag } }));
  } catch (error) {
    if (error instanceof ApiError && error.code === 'PREFERENCES_CHANGED') return null;
    throw error;
  }
}
