/** Values of an app that must never be shown: its tokens, its secrets, and those that it had before. */
import { givenSecrets, readSecrets } from '../launch/secrets.ts';
import { environOf } from '../processes.ts';
import type { App } from './app-state.ts';

export function hiddenValues(app: App): readonly string[] {
  const tokens = ['SVC_APP_TOKEN', 'SVC_PORTAL_TOKEN'].flatMap((name) => app.wish?.variables?.get(name) ?? []);
  return [...new Set([...tokens, ...stored(app), ...app.retiredSecrets, ...startedWith(app)])];
}

/** A vault that can't be read now still holds what it held: nothing of it may be shown meanwhile. */
function stored(app: App): readonly string[] {
  try {
    app.knownSecrets = [...readSecrets(app.paths.secrets).values()];
  } catch {
    // As of the last observation.
  }
  return app.knownSecrets;
}

/** The living process may print what was replaced since its start, also when an earlier supervisor replaced it. */
function startedWith(app: App): readonly string[] {
  if (app.process === null) return [];
  const environ = environOf(app.process.identity.pid);
  const declared = app.declaredSecrets.map(({ name }) => name);
  return environ === null ? [] : [...givenSecrets(environ, declared).values()];
}
