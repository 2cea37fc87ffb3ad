/** The attributes of an app's frame that say what its page may do. They hold from the next time that it is loaded. */
import type { AppProjection } from '../../schema/wire/http.ts';
import type { Preferences } from '../../schema/wire/preferences.ts';
import { canPassOn, mayOpenWindows, passedOn } from '../preferences/window-permissions.ts';

/** No top navigation: an app can't replace the desktop. */
const sandbox = 'allow-scripts allow-same-origin allow-forms allow-modals allow-downloads allow-pointer-lock';
const popups = 'allow-popups allow-popups-to-escape-sandbox';

export function permitFrame(frame: HTMLIFrameElement, app: AppProjection, preferences: Preferences | null): void {
  frame.setAttribute('sandbox', mayOpenWindows(preferences, app.id) ? `${sandbox} ${popups}` : sandbox);
  frame.allow = [
    // Writing is what a copy button does.
    'clipboard-write',
    // By the choice of the person, app by app: see api/http/security-headers.ts.
    ...(canPassOn(app) ? passedOn(preferences, app.id) : []),
    ...['focus-without-user-activation', 'publickey-credentials-get', 'publickey-credentials-create']
      .filter(knowsPolicy)
      .map((name) => `${name} 'none'`),
  ].join('; ');
}

/** A browser that does not know a policy complains of it in the console. Source: docs/decisions/0380-the-keyboard-of-a-question.md */
function knowsPolicy(name: string): boolean {
  const { featurePolicy } = document as { readonly featurePolicy?: { features(): readonly string[] } };
  return featurePolicy?.features().includes(name) === true;
}
