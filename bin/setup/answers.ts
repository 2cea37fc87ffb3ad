/** Answers given to `svc setup`, by options or on a terminal: read at the border, so that later code can believe them. */
import { existsSync } from 'node:fs';
import { isAppId } from '../../schema/app-id.ts';
import { SvcError } from '../../schema/errors.ts';
import type { FrontKind } from './front.ts';

/** Options as commander gives them. A missing one leaves the site as it is. */
export interface SetupOptions {
  readonly dir: string;
  readonly state: string;
  readonly url?: string;
  readonly listen?: string;
  readonly front?: FrontKind;
  readonly certificate?: string;
  readonly key?: string;
  readonly acme?: string;
  readonly acmeRoot?: string;
  readonly email?: string;
  readonly signIn?: readonly string[];
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcSecretFile?: string;
  readonly admin?: readonly string[];
  readonly here?: boolean;
  readonly server?: readonly string[];
  readonly hostKey?: readonly string[];
  readonly group?: readonly string[];
  readonly person?: readonly string[];
  readonly app?: readonly string[];
  readonly repository?: string;
  readonly plan?: boolean;
  readonly yes?: boolean;
  readonly print?: boolean;
  readonly json?: boolean;
}

export interface ServerAnswer {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly hostKey: string;
}

/** Something on a server; null: on the one that this machine is, or the only one. */
export interface On {
  readonly name: string;
  readonly server: string | null;
}

const refused = (option: string, value: string, expected: string): SvcError =>
  new SvcError('BAD_REQUEST', `--${option} ${JSON.stringify(value.slice(0, 100))}: expected ${expected}`);

/** `https://svc.example.org`, as an origin. */
export function addressOf(text: string): URL {
  const url = URL.parse(/^https?:\/\//.test(text) ? text : `https://${text}`);
  const isPlain =
    url !== null &&
    url.pathname === '/' &&
    url.search === '' &&
    url.hash === '' &&
    url.username === '' &&
    /^[a-z0-9.-]+$/.test(url.hostname);
  if (!isPlain) throw refused('url', text, 'an address without a path, for example https://svc.example.org');
  return url;
}

/** NAME=HOST[:PORT]; the host key by `--host-key NAME=SHA256:…`. */
export function serversOf({ server = [], hostKey = [] }: SetupOptions): readonly ServerAnswer[] {
  const keys = new Map(hostKey.map((text) => pairOf('host-key', text, 'NAME=SHA256:…')));
  return server.map((text) => {
    const [name, place] = pairOf('server', text, 'NAME=HOST or NAME=HOST:PORT');
    const [, host = '', port = '22'] = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9][A-Za-z0-9._-]*)(?::([0-9]{1,5}))?$/.exec(place) ?? [];
    if (host === '' || Number(port) > 65_535) throw refused('server', text, 'NAME=HOST or NAME=HOST:PORT');
    const key = keys.get(name);
    if (key === undefined)
      throw new SvcError(
        'BAD_REQUEST',
        `--host-key ${name}=SHA256:… is missing; svc server trust ${place} shows what to compare on its console`,
      );
    if (!/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(key)) throw refused('host-key', key, `${name}=SHA256:… (ssh-keygen -lf)`);
    return { name, host, port: Number(port), hostKey: key };
  });
}

function pairOf(option: string, text: string, expected: string): readonly [string, string] {
  const [, name, value] = /^([a-z0-9][a-z0-9._-]{0,62})=(\S+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw refused(option, text, expected);
  return [name, value];
}

/** NAME or NAME@SERVER. */
export function onServer(option: string, texts: readonly string[] | undefined): readonly On[] {
  return (texts ?? []).map((text) => {
    const [, name = '', server = null] = /^([^\s@/:]{1,64})(?:@([a-z0-9][a-z0-9._-]*))?$/.exec(text) ?? [];
    if (name === '' || (option === 'app' && !isAppId(name))) throw refused(option, text, 'NAME or NAME@SERVER');
    return { name, server };
  });
}

/** They become words of a configuration; `mustExist`: a file that is read from there. */
export function plainWord(option: string, text: string | undefined, mustExist = false): string | null {
  if (text === undefined) return null;
  if (!/^[\x21\x24-\x3a\x3c-\x7a\x7e]{1,500}$/.test(text)) throw refused(option, text, 'a word without spaces, quotes, braces or ";"');
  if (!mustExist) return text;
  if (!text.startsWith('/')) throw refused(option, text, 'an absolute path');
  if (!existsSync(text)) throw new SvcError('BAD_REQUEST', `--${option} ${text}: there is no such file`);
  return text;
}
