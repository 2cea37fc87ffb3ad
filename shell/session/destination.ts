/**
 * The link into an app that a person followed before signing in. The portal puts it into the address of the sign-in page; it is kept in the
 * storage of this origin, which no app's page can write, until the sign-in, and is then opened once in the app's window.
 */
import { isRoute } from '../../schema/bridge/route.ts';
import type { Kept } from '../state/kept.ts';

export interface Destination {
  readonly app: string;
  /** Below the app's base, without the first slash; '' is the app's own beginning. */
  readonly route: string;
}

const key = 'svc.destino';
const keptMs = 15 * 60_000;

/** Null for what can't be opened. */
export function readDestination(text: string): Destination | null {
  const [, app, route = ''] = /^([a-z0-9-]{1,49})\/([\x21-\x7e]{0,2048})$/.exec(text) ?? [];
  return app === undefined || (route !== '' && !isRoute(route)) ? null : { app, route };
}

export function keepDestination(storage: Kept, text: string, nowMs: number): void {
  if (readDestination(text) !== null) storage.setItem(key, `${nowMs + keptMs} ${text}`);
}

/** Once; null when there is none, or it waited too long. */
export function takeDestination(storage: Kept, nowMs: number): Destination | null {
  const [, untilMs, text = ''] = /^(\d{1,16}) (.*)$/.exec(storage.getItem(key) ?? '') ?? [];
  storage.removeItem(key);
  return Number(untilMs ?? 0) > nowMs ? readDestination(text) : null;
}
