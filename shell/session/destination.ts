/**
 * The link into an app that a person followed before signing in. The portal keeps it in a cookie of this origin for a while
 * (api/auth/cookies.ts); once somebody is signed in it is taken and opened in the app's window.
 */
import { isRoute } from '../bridge/verbs.ts';

export interface Destination {
  readonly app: string;
  /** Below the app's base, without the first slash; '' is the app's own beginning. */
  readonly route: string;
}

const cookie = /(?:^|;\s*)((?:__Host-svc|svc-sessao)-destino)=([^;]*)/;

/** Name of the cookie and what it says; `destination` is null when it says nothing that can be opened. */
export function readDestination(cookies: string): { readonly name: string; readonly destination: Destination | null } | null {
  const [, name, value] = cookie.exec(cookies) ?? [];
  if (name === undefined || value === undefined) return null;
  let decoded: string;
  try {
    decoded = decodeURIComponent(value);
  } catch {
    return { name, destination: null };
  }
  const [, app, route = ''] = /^([a-z0-9-]{1,64})\/([\x21-\x7e]*)$/.exec(decoded) ?? [];
  if (app === undefined || (route !== '' && !isRoute(route))) return { name, destination: null };
  return { name, destination: { app, route } };
}

export function takeDestination(): Destination | null {
  const found = readDestination(document.cookie);
  if (found === null) return null;
  const secure = found.name.startsWith('__Host-') ? '; Secure' : '';
  document.cookie = `${found.name}=; Path=/; Max-Age=0; SameSite=Lax${secure}`;
  return found.destination;
}
