/** The border of the supervisor's socket: a line becomes a request or a refusal, nothing in between. */
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { stopReasons } from '../../schema/reasons/derived.ts';
import type { SupervisorRequest } from '../../schema/supervisor-lines.ts';
import { isEnvName, valueProblem } from '../launch/env-file.ts';
import { isSecretName, secretValueProblem } from '../launch/secrets.ts';
import { appIdTooLong, isAppId } from '../../schema/app-id.ts';

type Check = (value: unknown) => boolean;

const boolean: Check = (value) => typeof value === 'boolean';
/** May be left out, too. */
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const appId: Check = (value) => typeof value === 'string' && isAppId(value);
const text =
  (charsMax: number): Check =>
  (value) =>
    typeof value === 'string' && value.length > 0 && value.length <= charsMax && valueProblem(value) === null;
const leader = optional((value) => Number.isSafeInteger(value) && (value as number) > 0);
const lines: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= sharedLimits.logTailLinesMax;
const basePath: Check = (value) => typeof value === 'string' && /^\/([\x21-\x7e]*\/)?$/.test(value) && value.length <= 1_024;
const variables: Check = (value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const entries = Object.entries(value);
  return (
    entries.length <= limits.envEntriesMax &&
    entries.every(
      ([name, entry]) => isEnvName(name) && !launcherOnly.has(name) && typeof entry === 'string' && valueProblem(entry) === null,
    )
  );
};
/** These have fields of their own, or are the launcher's to say. */
const launcherOnly: ReadonlySet<string> = new Set([
  'SVC_APP_ID',
  'SVC_APP_SOCKET',
  'SVC_APP_TOKEN',
  'SVC_APP_BASE_PATH',
  'SVC_APP_PINNED',
  'SVC_APP_REQUEST_ID',
  'SVC_APP_INSTALLED_HASH',
  'SVC_PREFIX',
  'SVC_KIT',
  'SVC_NODE',
  'SVC_FAULT_POINT',
]);
const reason: Check = (value) => stopReasons.some((one) => one === value);

const secretName: Check = (value) => typeof value === 'string' && isSecretName(value);
const secretValue: Check = (value) => typeof value === 'string' && secretValueProblem(value) === null;

type Fields<Op extends SupervisorRequest['op']> = {
  readonly [Field in Exclude<keyof Extract<SupervisorRequest, { op: Op }>, 'id' | 'op'>]-?: Check;
};

/** Every op with its fields; a field more, or one less that may not be left out, is refused. */
const operations: { readonly [Op in SupervisorRequest['op']]: Fields<Op> } = {
  hello: {},
  subscribe: { leader },
  snapshot: {},
  usage: {},
  start: { leader, app: appId, token: text(1_024), basePath, pinned: boolean, requestId: text(128), variables, isMend: optional(boolean) },
  stop: { leader, app: appId, requestId: text(128), reason },
  pin: { leader, app: appId, pinned: boolean },
  used: { app: appId },
  doubt: { app: appId },
  token: { app: appId },
  log: { app: appId, tail: lines, previous: boolean },
  follow: { app: appId, tail: lines },
  note: { app: appId, text: text(sharedLimits.logNoteCharsMax) },
  secrets: { app: appId },
  'secret-put': { leader, app: appId, name: secretName, value: secretValue },
  'secret-delete': { leader, app: appId, name: secretName },
  quit: {},
};

export type Parsed =
  | { readonly ok: true; readonly request: SupervisorRequest }
  /** `id` is null when the line did not even hold one. The message never repeats a value: it could be a token. */
  | { readonly ok: false; readonly id: number | null; readonly message: string };

export function parseRequest(line: string): Parsed {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { ok: false, id: null, message: 'the line is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { ok: false, id: null, message: 'expected an object' };
  const { id, op, ...fields } = value as Record<string, unknown>;
  if (!Number.isSafeInteger(id)) return { ok: false, id: null, message: '"id" must be an integer' };
  const refuse = (message: string): Parsed => ({ ok: false, id: id as number, message });
  if (typeof op !== 'string' || !Object.hasOwn(operations, op)) return refuse('"op" is not one of this protocol');
  const checks: Readonly<Record<string, Check>> = operations[op as SupervisorRequest['op']];
  const unknown = Object.keys(fields).find((field) => !Object.hasOwn(checks, field));
  if (unknown !== undefined) return refuse(`${op} has no field "${unknown.slice(0, 64)}"`);
  const wrong = Object.entries(checks).find(([field, check]) => !check(Object.hasOwn(fields, field) ? fields[field] : undefined));
  if (wrong !== undefined) {
    const long = wrong[0] === 'app' && typeof fields['app'] === 'string' ? appIdTooLong(fields['app']) : null;
    return refuse(`${op} needs a valid "${wrong[0]}"${long === null ? '' : `: ${long}`}`);
  }
  return { ok: true, request: value as SupervisorRequest };
}
