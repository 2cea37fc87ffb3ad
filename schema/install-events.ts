/**
 * The progress of svc-app-install: one JSON line each with `--json`, one sentence each for people. The portal checks each line with
 * these schemas (controller/hosts/installer-lines.ts); the installer takes the types alone.
 */
import { appIdPattern } from './app-id.ts';
import type { ErrorCode } from './errors.ts';
import { type Wire, count, flag, lineOf, list, oneOf, orNull } from './static.ts';

export const installSteps = ['fetch', 'stage', 'check', 'engines', 'set-up', 'swap', 'end-instances', 'clean'] as const;
export type InstallStepName = (typeof installSteps)[number];

const text = (maxLength: number) => ({ type: 'string', maxLength }) as const;
const textOrNull = (maxLength: number) => ({ type: ['string', 'null'], maxLength }) as const;
const name = text(256);
/** Ours; a newer kit may send others. */
const word = <const Word extends string>(_words: readonly Word[]) => name as unknown as { readonly enum: readonly [Word] };

const event = {
  anyOf: [
    lineOf('step', { step: word(installSteps) }),
    lineOf('download', {
      nome: name,
      versao: name,
      bytes: count,
      total: count,
      /** Null while nothing has come yet. */
      etaMs: { type: ['number', 'null'] },
    }),
    lineOf('engine', { step: word(['extract', 'ready']), nome: name, versao: name }),
  ],
} as const;
export type InstallEvent = Wire<typeof event>;
export type OnEvent = (event: InstallEvent) => void;

/** The last line. `unchanged`: that version with those bytes was there already. */
const result = lineOf('done', {
  result: word(['installed', 'unchanged', 'rolled-back', 'removed', 'absent', 'confirmed']),
  app: { type: 'string', pattern: appIdPattern },
  scope: oneOf(['sistema', 'pessoa']),
  version: textOrNull(256),
  /** packageHash of what was delivered. */
  hash: textOrNull(64),
  /** The version that was there before. */
  before: textOrNull(256),
  /** Processes of the code before that were ended. */
  ended: count,
});
export type InstallResult = Wire<typeof result>;
export type Scope = InstallResult['scope'];

const engine = {
  type: 'object',
  properties: { app: name, nome: name, versao: name, bytes: { type: ['integer', 'null'] } },
  required: ['app', 'nome', 'versao', 'bytes'],
} as const;

/** The answer to `--look`: what of the server itself matters to packages. */
const look = lineOf('look', {
  /** The requirements, as given, of which no alternative is installed. */
  missing: { ...list(text(1_024)), maxItems: 10_000 },
  engines: { ...list(engine), maxItems: 10_000 },
  /** A physical GPU. */
  gpu: flag,
});
export type InstallInventory = Wire<typeof look>;

/** The answer to `--credential`: what the unit of a server-scope app has of the portal. Decision: docs/decisions/0203-server-scope-credential.md */
const credential = lineOf('credential', {
  /** sha256 of the SVC_PORTAL_TOKEN that the next start gets; null: none. */
  token: orNull({ type: 'string', pattern: '^[0-9a-f]{64}$' }),
  /** `changing`: on its way to one of the other two. */
  unit: oneOf(['active', 'stopped', 'changing']),
  /** The unit was started since that token was written. */
  taken: flag,
});
export type CredentialState = Omit<Wire<typeof credential>, 'event'>;

const failure = lineOf('error', {
  code: text(64) as unknown as { readonly enum: readonly [ErrorCode] },
  message: text(65_536),
  details: { type: 'object', additionalProperties: true },
});

export type InstallOutcome = InstallResult | InstallInventory | Wire<typeof credential> | Wire<typeof failure>;

/** Every line of `svc-app-install --json`. */
export const installLine = { anyOf: [...event.anyOf, result, look, credential, failure] } as const;
export type InstallLine = InstallEvent | InstallOutcome;
