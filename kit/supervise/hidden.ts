/** Values of an app that must never be shown: its tokens and its secrets. */
import { readSecrets } from '../launch/secrets.ts';
import type { App } from './world.ts';

export function hiddenValues(app: App): readonly string[] {
  const tokens = ['SVC_APP_TOKEN', 'SVC_PORTAL_TOKEN'].flatMap((name) => app.wish?.variables?.get(name) ?? []);
  try {
    return [...tokens, ...readSecrets(app.paths.secrets).values()];
  } catch {
    return tokens;
  }
}
