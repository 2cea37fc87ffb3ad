/** Options of `svc dev`, checked. */
import { realpathSync } from 'node:fs';
import { createHash } from 'node:crypto';
import os from 'node:os';
import path from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { appFolder } from '../app-folder.ts';
import { limits } from './limits.ts';

export interface DevFlags {
  readonly as?: readonly string[];
  readonly people?: string;
  readonly state?: string;
  readonly listen?: string;
  readonly packed?: boolean;
  readonly server?: string;
  readonly desired?: string;
  readonly frontend?: string;
  readonly backendPrefix?: readonly string[];
  readonly open?: boolean;
}

export interface DevOptions {
  /** The author's folder: absolute, links followed. */
  readonly folder: string;
  readonly people: readonly string[];
  /** Private to this folder. */
  readonly state: string;
  /** host:port; null: the port of the last time if it is free. */
  readonly listen: string | null;
  readonly packed: boolean;
  /** A Server document of the folder `desired`; null: this machine. */
  readonly server: { readonly name: string; readonly desired: string } | null;
  readonly frontend: { readonly host: string; readonly port: number } | null;
  readonly backendPrefixes: readonly string[];
  readonly open: boolean;
}

const personPattern = /^[a-z][a-z0-9-]{0,30}$/;

/** Rejects BAD_REQUEST with what was expected. */
export function readOptions(dir: string, flags: DevFlags, env: Readonly<Record<string, string | undefined>>): DevOptions {
  const folder = realpathSync(appFolder(dir));
  if (flags.desired !== undefined && flags.server === undefined)
    throw new SvcError('BAD_REQUEST', '--desired goes with --server NAME, a Server document of that folder');
  if (flags.server !== undefined && flags.desired === undefined)
    throw new SvcError('BAD_REQUEST', '--server NAME needs --desired DIR, the folder with its Server document');
  if ((flags.backendPrefix ?? []).length > 0 && flags.frontend === undefined)
    throw new SvcError(
      'BAD_REQUEST',
      "--backend-prefix goes with --frontend URL: without a dev server every path is the backend's already",
    );
  const server =
    flags.server === undefined || flags.desired === undefined ? null : { name: flags.server, desired: path.resolve(flags.desired) };
  return {
    folder,
    people: peopleOf(flags, server !== null),
    state: flags.state === undefined ? `${stateOf(folder, env)}${modeOf(flags)}` : path.resolve(flags.state),
    listen: flags.listen ?? null,
    packed: flags.packed === true || server !== null,
    server,
    frontend: flags.frontend === undefined ? null : devServerOf(flags.frontend),
    backendPrefixes: (flags.backendPrefix ?? []).map(prefixOf),
    open: flags.open === true,
  };
}

/** On a server the people are those of its folder; none named: the first of them. */
function peopleOf({ as = [], people }: DevFlags, isServer: boolean): readonly string[] {
  const named = as.flatMap(words);
  const all = [...new Set(people === undefined ? (isServer ? named : ['ana', ...named]) : [...words(people), ...named])];
  const odd = all.find((name) => !personPattern.test(name));
  if (odd !== undefined)
    throw new SvcError('BAD_REQUEST', `${JSON.stringify(odd)} is no name of a person: expected lowercase letters, digits and "-"`);
  if (all.length > limits.peopleMax) throw new SvcError('BAD_REQUEST', `at most ${limits.peopleMax} people, got ${all.length}`);
  return all;
}

const words = (text: string): readonly string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

/** Marks the mode: no mode removes what another one installed. */
const modeOf = ({ server, packed }: DevFlags): string => (server === undefined ? (packed === true ? 'p' : '') : `-${server}`);

/** State folder of an app folder, outside of it: files in it would be packed, and watched. Short, since sockets are below it. */
function stateOf(folder: string, env: Readonly<Record<string, string | undefined>>): string {
  return path.join(devStates(env), createHash('sha256').update(folder).digest('hex').slice(0, 8));
}

/** Below it are those that nobody named. */
export function devStates(env: Readonly<Record<string, string | undefined>>): string {
  const base = env['XDG_STATE_HOME'];
  const root = base !== undefined && base.startsWith('/') ? base : path.join(os.homedir(), '.local/state');
  return path.join(root, 'svc-dev');
}

/** Only of this machine: whoever answers there is shown on the origin of the app. */
function devServerOf(text: string): { readonly host: string; readonly port: number } {
  const url = URL.canParse(text) ? new URL(text) : null;
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  if (url?.protocol !== 'http:' || url.pathname !== '/' || !['127.0.0.1', 'localhost', '::1'].includes(host))
    throw new SvcError('BAD_REQUEST', `--frontend ${text}: expected the address of a dev server of this machine, as http://127.0.0.1:5173`);
  return { host, port: Number(url.port === '' ? 80 : url.port) };
}

function prefixOf(text: string): string {
  if (!/^\/?[A-Za-z0-9._~-]+(?:\/[A-Za-z0-9._~-]+)*\/?$/.test(text))
    throw new SvcError('BAD_REQUEST', `--backend-prefix ${text}: expected a path, as /api`);
  return `/${text.replace(/^\/|\/$/g, '')}`;
}
