/** The person's vault `secrets.json` (rules 2.1 `secrets`, 5). Messages name a secret, never its value. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { isReservedName } from '../../schema/manifest/reserved-names.ts';
import { unlinkIfThere, writeFileAtomic } from '../atomic-file.ts';
import type { Variables } from './env-file.ts';
import { readPrivateFile } from './private-file.ts';
import { LaunchRefused } from './refusal.ts';

/** Empty without a vault. `onReserved` gets names in it that are reserved, or whose value can't be a token: they are ignored. Throws LaunchRefused InvalidEnvironment. */
export function readSecrets(path: string, onReserved: (name: string) => void = () => undefined): Variables {
  const bytes = readPrivateFile({ path, name: basename(path), reason: 'InvalidEnvironment' }, limits.secretsFileBytesMax);
  return bytes === null ? new Map() : parseSecrets(bytes, onReserved);
}

export function parseSecrets(bytes: Uint8Array, onReserved: (name: string) => void = () => undefined): Variables {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    // The parser's own message could repeat a piece of a secret.
    return refuse('it is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse('expected an object of names and texts');
  const secrets = new Map<string, string>();
  for (const [name, secret] of Object.entries(value)) {
    if (!isSecretName(name)) refuse('a name is not of the form AAA_BBB');
    if (typeof secret !== 'string') return refuse(`the secret ${name} is not a text`);
    const problem = textProblem(secret);
    if (problem !== null) refuse(`the secret ${name} ${problem}`);
    // A start is never refused for a name (schema/manifest/reserved-names.ts).
    if (isReservedName(name) || tokenProblem(name, secret) !== null) onReserved(name);
    else secrets.set(name, secret);
  }
  if (secrets.size > limits.envEntriesMax) refuse('it holds too many secrets');
  return secrets;
}

/** Source: rules 2.1 `secrets[].name`. */
export function isSecretName(name: string): boolean {
  return /^[A-Z][A-Z0-9_]{0,63}$/.test(name);
}

/** The token of the app is a header line of each request; null: it can be, or the secret is another one. */
export function tokenProblem(name: string, value: string): string | null {
  return name !== 'SVC_APP_TOKEN' || /^[\x21-\x7e]{1,4096}$/.test(value) ? null : 'is not 1 to 4096 visible ASCII characters';
}

/** Null when it may be stored, otherwise why not; never repeats the value. */
export function secretValueProblem(value: string): string | null {
  if (value === '') return 'is empty: delete it instead';
  if (Buffer.byteLength(value) > sharedLimits.secretValueBytesMax) return `is larger than ${sharedLimits.secretValueBytesMax} bytes`;
  return textProblem(value);
}

/** Values that a variable can hold: line breaks, too, as in a PEM key. */
function textProblem(value: string): string | null {
  if (value.includes('\0')) return 'holds a NUL';
  return value.isWellFormed() ? null : 'is not valid Unicode';
}

/** No secret and no variable of another program has these names. */
const names = { passed: 'svc_secret_', script: 'svc_become', given: 'svc_secrets' } as const;

/**
 * The command and the variables by which a process gets the person's secrets. Shells, flock and systemd-run stand between the launcher and the
 * app, and each obeys variables (LD_LIBRARY_PATH, XDG_RUNTIME_DIR, PWD). So secrets pass them under names that nobody reads, and env gives
 * them their own just before the app. No value is in an argument, which every account could read, and no `$` is: systemd-run may
 * expand variables. `svc_secrets` stays with the app, also empty where the
 * manifest asks for secrets: by it `givenSecrets` knows them from what the launcher set.
 */
export function passSecrets(
  secrets: Variables,
  isAsked: boolean,
  command: readonly [string, ...string[]],
): { readonly argv: readonly [string, ...string[]]; readonly variables: Readonly<Record<string, string>> } {
  if (secrets.size === 0) return { argv: command, variables: isAsked ? { [names.given]: '' } : {} };
  const given = [...secrets.keys()];
  const dropped = [names.script, ...given.map((name) => names.passed + name)].map((name) => `-u ${name}`);
  const set = given.map((name) => `${name}=\${${names.passed}${name}}`);
  return {
    argv: ['/bin/sh', '-c', `eval "\`/usr/bin/printenv ${names.script}\`"`, 'sh', ...command],
    variables: {
      ...Object.fromEntries([...secrets].map(([name, value]) => [names.passed + name, value])),
      [names.script]: `exec /usr/bin/env ${dropped.join(' ')} -S '${set.join(' ')}' "$@"`,
      [names.given]: given.join(' '),
    },
  };
}

/** The secrets that a process was started with, by its environment, also before it is the app. One of an earlier kit says no names. */
export function givenSecrets(environ: Variables, asked: readonly string[]): Variables {
  const given = environ.get(names.given)?.split(' ') ?? asked;
  return new Map(
    given.flatMap((name) => {
      const value = environ.get(names.passed + name) ?? environ.get(name);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

/** Whole or not at all, 0600; survives a power cut. Throws LaunchRefused when together they are too large. */
export function writeSecrets(path: string, secrets: Variables): void {
  const text = `${JSON.stringify(Object.fromEntries(secrets), null, 2)}\n`;
  if (Buffer.byteLength(text) > limits.secretsFileBytesMax) refuse('together the secrets are larger than the limit');
  // Leftovers of a killed writer hold secrets, too; only the supervisor writes here, one request at a time.
  removeLeftovers(path);
  writeFileAtomic(path, text, { mode: 0o600, durable: true });
}

function removeLeftovers(path: string): void {
  const folder = dirname(path);
  const leftover = new RegExp(`^${basename(path).replace('.', '[.]')}[.][0-9]+[.]tmp$`);
  for (const name of readdirSync(folder)) if (leftover.test(name)) unlinkIfThere(join(folder, name));
}

function refuse(why: string): never {
  throw new LaunchRefused('InvalidEnvironment', `secrets.json can't be used: ${why}`);
}
