/** What the person chose, of the portal's HTTP API as the shell uses it. Source: schema/wire/preferences.ts. */
import type { Preferences, PreferencesPatch } from '../../schema/wire/preferences.ts';
import type { PreferencesNow } from '../preferences/model.ts';
import { json, request } from './api.ts';

const now = async (response: Response): Promise<PreferencesNow> => {
  const etag = response.headers.get('etag') ?? '';
  return { etag, value: await json<Preferences>(response) };
};

export const readPreferences = async (): Promise<PreferencesNow> => now(await request('GET', '/api/preferencias'));
export const changePreferences = async (patch: PreferencesPatch): Promise<PreferencesNow> =>
  now(await request('PATCH', '/api/preferencias', patch));
