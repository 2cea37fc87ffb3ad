/**
 * The rule for ids of apps, the same at every border (rules 2.1 `id`): the validator, the API, the proxy, the installer, the launcher. The id
 * becomes a part of a socket path and a label of a host name, so that what `svc validate` accepts can be installed, reached and opened on every
 * server and in both origin modes. Decision: docs/decisions/0190-one-bound-for-an-app-id.md
 */
import { limits } from './limits.ts';
import { clip } from './positions/node.ts';

/** The spec's alphabet; RFC 1123 on a label: no "-" first or last; RFC 5890: a label that begins with "xn--" is an encoded one. */
export const appIdPattern = `^(?!xn--)[a-z0-9](?:[a-z0-9-]{0,${limits.appIdCharsMax - 2}}[a-z0-9])?$`;

/** The whole rule, for a message that can't say which part of it was broken. */
export const appIdRule = `the id of an app: at most ${limits.appIdCharsMax} lowercase letters, digits and "-" (its socket path has room for no more), no "-" first or last, no "xn--" first`;

const fits = new RegExp(appIdPattern);

export function isAppId(text: string): boolean {
  return fits.test(text);
}

/** Why a text of the spec's alphabet is no app id, for a person; null when its length is not the reason. */
export function appIdTooLong(id: string): string | null {
  if (id.length <= limits.appIdCharsMax) return null;
  return `an app id has at most ${limits.appIdCharsMax} characters, found ${id.length}: its socket ~/.svc-apps/<id>/app.sock has room for no more in ${limits.socketPathBytesMax} bytes, with a home of ${limits.accountHomeBytesMax}`;
}

/** As appIdFault, for who can't tell whether an id was meant: null also for what is not even of the spec's alphabet. */
export function nearAppIdFault(text: string): string | null {
  return /^[a-z0-9-]+$/.test(text) ? appIdFault(text) : null;
}

/** Why a text is no app id, for a person; null when it is one. */
export function appIdFault(id: string): string | null {
  if (isAppId(id)) return null;
  if (!/^[a-z0-9-]+$/.test(id)) return `expected an app id: lowercase letters, digits and "-", found "${clip(id)}"`;
  return appIdTooLong(id) ?? `browsers take no address with "${clip(id)}" in it: an app id has no "-" first or last and no "xn--" first`;
}
