/** The person's vault `secrets.json` (spec 2.1 `secrets`, 5.7). Messages name a secret, never its value. */
import { limits } from '../../schema/limits.ts';
import { isReservedName } from '../../schema/manifest/reserved-names.ts';
import { valueProblem, type Variables } from './env-file.ts';
import { readPrivateFile } from './private-file.ts';
import { LaunchRefused } from './refusal.ts';

/** Empty without a vault. Throws LaunchRefused InvalidEnvironment. */
export function readSecrets(path: string): Variables {
  const bytes = readPrivateFile(path, limits.secretsFileBytesMax);
  return bytes === null ? new Map() : parseSecrets(bytes);
}

export function parseSecrets(bytes: Uint8Array): Variables {
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
    if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(name)) refuse('a name is not of the form AAA_BBB');
    if (isReservedName(name)) refuse(`the secret ${name} has a name that the system keeps for itself`);
    if (typeof secret !== 'string') return refuse(`the secret ${name} is not a text`);
    const problem = valueProblem(secret);
    if (problem !== null) refuse(`the secret ${name} ${problem}`);
    secrets.set(name, secret);
  }
  if (secrets.size > limits.envEntriesMax) refuse('it holds too many secrets');
  return secrets;
}

function refuse(why: string): never {
  throw new LaunchRefused('InvalidEnvironment', `secrets.json can't be used: ${why}`);
}
