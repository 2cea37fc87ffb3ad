/**
 * `~/.svc-apps/<id>/env`, the person's wish (rules 2.6): lines `NAME=value`, nothing quoted, nothing expanded. Names are closed (SVC_*), values hold
 * no newline and no NUL. Written whole and renamed into place, so a half one is never seen.
 */
import { limits } from '../limits.ts';
import { readPrivateFile } from './private-file.ts';
import { LaunchRefused } from './refusal.ts';

export type Variables = ReadonlyMap<string, string>;

/**
 * Lines for the supervisor only; they never reach the app. The id of the request is beside the wish, so that both are one atomic write.
 */
export const pinnedVariable = 'SVC_APP_PINNED';
export const requestVariable = 'SVC_APP_REQUEST_ID';

const namePattern = /^SVC_[A-Z0-9_]{1,60}$/;

export function isEnvName(name: string): boolean {
  return namePattern.test(name);
}

/** Null when the value can stand in an env file, otherwise why not; never repeats the value. */
export function valueProblem(value: string): string | null {
  if (/[\n\r\0]/.test(value)) return 'holds a newline or a NUL';
  // A lone surrogate would come back as another character.
  return value.isWellFormed() ? null : 'is not valid Unicode';
}

/** Throws LaunchRefused InvalidEnvironment with the name (never the value) at fault. */
export function writeEnvText(variables: Variables): string {
  if (variables.size > limits.envEntriesMax) refuse('too many variables');
  let text = '';
  for (const [name, value] of variables) {
    if (!isEnvName(name)) refuse(`"${name.slice(0, 64)}" is not a variable that the portal may set`);
    const problem = valueProblem(value);
    if (problem !== null) refuse(`the value of ${name} ${problem}`);
    text += `${name}=${value}\n`;
  }
  if (Buffer.byteLength(text) > limits.envFileBytesMax) refuse('larger than the limit');
  return text;
}

/** Null when there is none: the app is not wanted. Throws LaunchRefused EnvFileDamaged. */
export function readEnvFile(path: string): Variables | null {
  const bytes = readPrivateFile({ path, name: 'the env file', reason: 'EnvFileDamaged' }, limits.envFileBytesMax);
  return bytes === null ? null : parseEnvText(bytes);
}

/** Exact inverse of `writeEnvText`; everything else is refused. Throws LaunchRefused EnvFileDamaged. */
export function parseEnvText(bytes: Uint8Array): Variables {
  const refuse = (why: string): never => {
    throw new LaunchRefused('EnvFileDamaged', `the env file can't be used: ${why}`);
  };
  if (bytes.byteLength > limits.envFileBytesMax) refuse('larger than the limit');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return refuse('not UTF-8');
  }
  const variables = new Map<string, string>();
  if (text === '') return variables;
  if (!text.endsWith('\n')) refuse('the last line is cut off');
  for (const [index, line] of text.slice(0, -1).split('\n').entries()) {
    const at = line.indexOf('=');
    const name = line.slice(0, Math.max(at, 0));
    if (!isEnvName(name)) refuse(`line ${index + 1} is not NAME=value with a name that the portal may set`);
    if (variables.has(name)) refuse(`${name} occurs twice`);
    const problem = valueProblem(line.slice(at + 1));
    if (problem !== null) refuse(`the value of ${name} ${problem}`);
    variables.set(name, line.slice(at + 1));
  }
  if (variables.size > limits.envEntriesMax) refuse('too many variables');
  return variables;
}

function refuse(why: string): never {
  throw new LaunchRefused('InvalidEnvironment', `the env file can't be written: ${why}`);
}
