/**
 * Requests and answers of the portal's HTTP API (rules 4.1), as JSON Schemas and as the types made from them: the border validates with the schemas
 * and the OpenAPI document is made from them. Requests are closed objects; answers contain the declared fields only. Errors are RFC 9457 problem
 * documents.
 */
import { appIdPattern } from '../app-id.ts';
import { backendStates, conditionTypes, startSteps } from '../backend.ts';
import { reasons } from '../reasons/derived.ts';
import { limits } from '../limits.ts';
import { shownShapes } from '../manifest/shown-fields.ts';
import { parcelName } from '../parcels.ts';
import { passkeyAnswer } from './passkeys.ts';
import { spaceKinds } from '../space.ts';
import { type Wire, closed, count, flag, list, nullable, oneOf, orNull, strings, text } from '../static.ts';

const status = oneOf(backendStates);
export const reason = oneOf(reasons);
/** Free-form JSON. */
const anything = { type: 'object', additionalProperties: true } as const;

export const appId = { type: 'string', pattern: appIdPattern } as const;
export const personId = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' } as const;
/** Queries arrive as text; nothing is coerced. */
const lines = { type: 'string', pattern: '^[0-9]{1,5}$' } as const;
const yes = { type: 'string', enum: ['1'] } as const;
export const objectKey = { type: 'string', maxLength: 256, pattern: '^[A-Za-z0-9._/@-]*$' } as const;
const secret = { type: 'string', minLength: 1, maxLength: 128 } as const;

export const appParams = closed({ id: appId });
export const backendParams = closed({ person: personId, app: appId });
export const serverParams = closed({ server: personId });
export const serverActBody = closed(
  { act: { type: 'string', enum: ['plan', 'add', 'rollback', 'remove', 'forget', 'drain'] }, force: flag },
  ['act'],
);
export const rotateKeysBody = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: { server: { type: 'string', minLength: 1, maxLength: 63 }, plan: flag },
} as const;
export const erasureBody = {
  type: ['object', 'null'],
  additionalProperties: false,
  properties: { roomsTo: personId },
} as const;
export const moveBody = closed({ to: personId, act: { type: 'string', enum: ['move', 'clean'] }, isPlan: flag }, ['to', 'act']);
export const noBody = { type: ['object', 'null'], additionalProperties: false, properties: {} } as const;
export const signInBody = {
  oneOf: [
    closed({ passe: secret }),
    closed({
      login: { type: 'string', minLength: 1, maxLength: limits.loginCharsMax, pattern: '^[^\\u0000-\\u001f\\u007f]+$' },
      // A NUL ends a password for PAM.
      senha: { type: 'string', minLength: 1, maxLength: limits.passwordCharsMax, pattern: '^[^\\u0000]+$' },
    }),
    closed({ passkey: passkeyAnswer }),
  ],
} as const;
export const linkOwnerBody = closed({ passe: secret });
const base64url = (charsMax: number) => ({ type: 'string', maxLength: charsMax, pattern: '^[\\w-]+$' }) as const;
const sealed = { type: 'string', maxLength: 512, pattern: '^[\\w.~-]+$' } as const;
export const sessionKeyBody = closed({ chave: base64url(256) });
export const sessionKeyAnswer = closed({ bilhete: { type: 'string' } });
export const questionAnswer = closed({ pergunta: { type: 'string' } });
export const comeBackBody = closed({ bilhete: sealed, chave: base64url(256), pergunta: sealed, assinatura: base64url(128) });
export const signOutBody = { ...comeBackBody, nullable: true } as const;
const sessionId = { type: 'string', pattern: '^[\\w-]{22}$' } as const;
export const sessionParams = closed({ id: sessionId });
export const sessionsQuery = closed({ outras: yes }, []);
export const personParams = closed({ person: personId });
export const adminSessionParams = closed({ person: personId, id: sessionId });
export const adminSessionsQuery = closed({ person: personId }, []);
/** Fields that a provider sends back (RFC 6749 4.1.2, RFC 9207), and any other field. */
export const oidcReturnQuery = {
  type: 'object',
  additionalProperties: true,
  properties: {
    code: { type: 'string', maxLength: 4_096 },
    state: { type: 'string', maxLength: 256 },
    iss: { type: 'string', maxLength: 2_048 },
  },
} as const;
export const windowsBody = closed({
  abertas: { type: 'integer', minimum: 0, maximum: limits.windowsPerPageMax },
  pagina: { type: 'string', minLength: 1, maxLength: 64 },
});
export const openQuery = closed({ ir: { type: 'string', maxLength: 2_048 }, ida: { type: 'string', pattern: '^[0-9a-f]{64}$' } }, []);
export const logQuery = closed({ tail: lines, seguir: yes, anterior: yes }, []);
export const adminLogQuery = closed({ tail: lines, follow: yes, previous: yes }, []);
export const objectsQuery = closed({ prefix: objectKey, after: objectKey }, []);
export const whyQuery = closed({ key: { ...objectKey, minLength: 1 } });
export const eventsQuery = closed(
  { key: objectKey, after: { type: 'string', pattern: '^[0-9]{1,15}$' }, limit: { type: 'string', pattern: '^[0-9]{1,4}$' } },
  [],
);
export const planBody = { ...closed({ dir: { type: ['string', 'null'], maxLength: 4_096 } }, []), type: ['object', 'null'] } as const;
export const applyBody = { ...closed({ prune: flag }, []), type: ['object', 'null'] } as const;
export const linkBody = {
  ...closed({ person: personId, admin: flag, hours: { type: 'integer', minimum: 1, maximum: limits.linkHoursMax } }, []),
  type: ['object', 'null'],
} as const;

export const problem = {
  type: 'object',
  additionalProperties: true,
  required: ['type', 'title', 'status', 'code', 'detail', 'error'],
  properties: {
    type: text,
    title: text,
    status: count,
    code: text,
    detail: text,
    /** Same text as `detail`: a string field `error` is required (rules 7). */
    error: text,
  },
} as const;
export type Problem = Wire<typeof problem>;

export const sessionAnswer = closed({
  usuario: text,
  /** Names the session, as in the list of sessions; opens nothing. */
  sessao: text,
  nome: text,
  login: text,
  iniciais: text,
  grupos: strings,
  admin: flag,
  /** Where the shell finds an app: `{id}` is replaced by the app id. */
  appUrlTemplate: text,
  origins: { type: 'string', enum: ['subdomain', 'path'] },
  shellVersion: text,
  /** A notice for the person about their account; null when there is none. */
  aviso: orNull(closed({ reason, message: text })),
  /** Id of the app that `svc dev` runs here; null: this is no `svc dev`. */
  dev: nullable('string'),
});
export type SessionAnswer = Wire<typeof sessionAnswer>;
/** Answer for a session that was restored by its key: with the key's new ticket, so that the key is never without one. */
export const comeBackAnswer = closed({ sessao: sessionAnswer, bilhete: text });

/** The person that a one-time link belongs to. */
export const linkOwnerAnswer = closed({ usuario: text, nome: text, admin: flag });
export type LinkOwnerAnswer = Wire<typeof linkOwnerAnswer>;
/** The ways to sign in that the portal offers now; the link works always. */
export const signInMethodsAnswer = closed({ link: flag, ssh: flag, oidc: orNull(closed({ label: text })), passkey: flag });
export type SignInMethodsAnswer = Wire<typeof signInMethodsAnswer>;
const sessionRow = {
  id: text,
  method: { type: 'string', enum: ['link', 'ssh', 'oidc', 'passkey'] },
  address: text,
  /** The browser's description of itself. */
  agent: text,
  admin: flag,
  createdAtMs: count,
  seenAtMs: count,
  expiresAtMs: count,
  /** The one that asks. */
  current: flag,
} as const;
/** Where the person is signed in, the last used first. */
export const sessionsAnswer = closed({ sessoes: list(closed(sessionRow)) });
export type SessionsAnswer = Wire<typeof sessionsAnswer>;
export const adminSessionsAnswer = closed({ sessions: list(closed({ person: text, ...sessionRow })) });
export const restorationBody = closed({ parcel: { type: 'string', pattern: parcelName.source } });
export const restorationAnswer = closed({
  rooms: list(closed({ from: text, id: text, nome: text })),
  kept: strings,
  preferences: oneOf(['restored', 'kept', 'none']),
  roles: count,
});
export const sessionsEndedAnswer = closed({ encerradas: count });

/** Usage of an app over its last seconds. */
const usage = closed({
  /** Percent of one processor: two busy ones are 200. Null until there are two readings to compare. */
  cpu: nullable('number'),
  memoria: { type: 'number' },
  /** Processes and threads. */
  tarefas: count,
});
export type AppUsage = Wire<typeof usage>;
const appExit = closed({ code: nullable('integer'), signal: nullable('string'), atMs: { type: 'number' }, reason });
export type AppExit = Wire<typeof appExit>;
/** An app as the shell and its launcher see it (rules 4.1 `GET /api/apps`). */
export const appProjection = closed({
  id: text,
  name: text,
  version: text,
  ...shownShapes,
  icone: nullable('string'),
  aoFechar: text,
  /** Base URL of the app, with a closing slash. */
  url: text,
  status,
  ready: flag,
  reason,
  message: text,
  sinceMs: count,
  wanted: flag,
  pinned: flag,
  pid: nullable('integer'),
  connections: nullable('integer'),
  /** The work that keeps it busy, in its own words; null: it does not say that work is under way. */
  busy: nullable('string'),
  failures: count,
  /** Automatic restarts since it was started last. */
  restarts: count,
  /** How its last process ended; null when no end is known. */
  lastExit: orNull(appExit),
  nextAttemptAtMs: nullable('number'),
  contained: flag,
  containedReason: text,
  secrets: closed({ declared: count, missing: strings, restartNeeded: flag }),
  /** The launcher's verdict; null without a declaration. The legacy field above only repeats the manifest. */
  gpuVerdict: orNull(
    closed({
      modo: { type: 'string', enum: ['opcional', 'necessaria'] },
      concedida: flag,
      motivo: text,
      dispositivos: list(closed({ dispositivo: text, fornecedor: text, modelo: text, driver: text })),
    }),
  ),
  stale: flag,
  /** Version that takes its place once nobody runs it (`aplicar: ao-parar`); null: none waits. */
  update: nullable('string'),
  /** Other people who run the version that is there, for whom it waits, too. */
  updateOthers: count,
  /** The server is taken out of use: the app ends at its deadline, or once nobody uses it. */
  drain: orNull(closed({ server: text, deadlineMs: nullable('number') })),
  /** When the longest time that the administrator allows ends it, from some minutes before on; null: not, or not yet. */
  endsAtMs: nullable('number'),
  /** Null: it has no process, or usage was not read recently; `GET /api/apps?uso=1` reads it. */
  uso: orNull(usage),
  step: orNull(closed({ name: oneOf(startSteps), detail: text })),
  /** The cluster whose job it is when it runs; null: it runs on its server. */
  cluster: nullable('string'),
  /** Its job, while there is one. `palavras`: the cluster's own. */
  trabalho: orNull(
    closed({
      estado: oneOf(['waiting', 'running']),
      id: text,
      lugar: nullable('integer'),
      fimMs: nullable('number'),
      palavras: text,
    }),
  ),
  /**
   * For engines: the script that the shell loads once the backend answers (rules 2.1 `engine`). Not `permitido`: the admin allows no scripts of
   * packages of a person's own scope in the shell.
   */
  loader: orNull(closed({ endereco: text, permitido: flag })),
});
export type AppProjection = Wire<typeof appProjection>;
export const appsQuery = closed({ uso: yes }, []);
export const usageQuery = closed({ person: personId }, []);
/** A row of `svc top`. */
const usageRow = closed({
  person: text,
  app: text,
  server: text,
  state: status,
  sinceMs: { type: 'number' },
  /** Null: its server did not report it. */
  uso: orNull(usage),
});
export type UsageRow = Wire<typeof usageRow>;
export const usageAnswer = closed({ apps: list(usageRow) });
/** A person's or an app's use of the portal within the last minute, and the resources that it holds now. */
const portalUseRow = closed({
  person: text,
  /** Null: the desktop's own. */
  app: nullable('string'),
  /** Processor time of the portal's main loop. */
  cpuMs: count,
  pedidos: count,
  /** With 429. */
  recusados: count,
  /** Size of the bodies that passed. */
  bytes: count,
  /** Answers and sockets of the desktop that are open. */
  abertas: count,
  terminais: count,
});
export type PortalUseRow = Wire<typeof portalUseRow>;
export const portalUseAnswer = closed({ pessoas: list(portalUseRow) });
export const appsAnswer = closed({ apps: list(appProjection) });

const amount = { type: 'integer', minimum: 0, maximum: 31_536_000 } as const;
const amounts = { cpus: amount, memoriaMb: amount, segundos: amount, gpus: amount } as const;
/** `pedido`: for an app that starts as a job of a cluster; without it the last one holds. */
export const startBody = { type: ['object', 'null'], additionalProperties: false, properties: { pedido: closed(amounts, []) } } as const;
const quantity = closed({ padrao: amount, min: amount, max: amount, opcoes: list(amount) });
/** Amounts that a person may ask for, and those that they asked for last. */
export const clusterFormAnswer = closed({
  cluster: text,
  formulario: closed({ cpus: quantity, memoriaMb: quantity, segundos: quantity, gpus: quantity }),
  pedido: closed(amounts),
});
export type ClusterFormAnswer = Wire<typeof clusterFormAnswer>;

export const startAnswer = closed(
  {
    ready: flag,
    status,
    reason,
    message: text,
    /** When asking again makes sense; absent when what was asked for is so. */
    retryAfterMs: { type: 'number' },
  },
  ['ready', 'status', 'reason', 'message'],
);
export type StartAnswer = Wire<typeof startAnswer>;
/** Source: rules 2.1 `secrets[].name`. */
const secretName = { type: 'string', pattern: '^[A-Z][A-Z0-9_]{0,63}$' } as const;
export const secretParams = closed({ id: appId, nome: secretName });
export const adminSecretParams = closed({ person: personId, app: appId, nome: secretName });
export const secretBody = closed({ value: { type: 'string', minLength: 1, maxLength: limits.secretValueBytesMax } });
/** Everything of a secret but its value. Not `declared`: the vault holds it and the installed manifest does not ask for it. It can only be removed. */
const secretView = closed({ name: text, description: text, required: flag, declared: flag, set: flag });
export type SecretView = Wire<typeof secretView>;
/** The common answer to reading, writing and deleting a secret. */
export const secretsAnswer = closed({ secrets: list(secretView), restartNeeded: flag });
export type SecretsView = Wire<typeof secretsAnswer>;
/** Why a loader does not work, for the app's log: one line. */
export const loaderFailureBody = closed({
  falha: { type: 'string', minLength: 1, maxLength: limits.logNoteCharsMax, pattern: '^[^\\u0000-\\u001f\\u007f]+$' },
});
export const windowsAnswer = closed({ abertas: count });

const condition = closed({
  type: oneOf(conditionTypes),
  status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
  reason,
  message: text,
  observedGeneration: count,
  sinceMs: count,
});
/** `svc describe` and the task manager's details. */
const objectView = closed({
  key: text,
  kind: text,
  name: text,
  state: text,
  reason,
  message: text,
  conditions: list(condition),
  seenAtMs: count,
  nextDeadlineMs: nullable('number'),
  details: anything,
});
export type ObjectView = Wire<typeof objectView>;
export const objectsAnswer = list(objectView);
export const whyAnswer = closed({
  key: text,
  sentence: text,
  waitsFor: nullable('string'),
  nextDeadlineMs: nullable('number'),
  lastLogLines: strings,
  requestId: nullable('string'),
  fix: nullable('string'),
});
export const eventsAnswer = closed({
  events: {
    type: 'array',
    items: closed({
      seq: count,
      atMs: count,
      key: text,
      type: { type: 'string', enum: ['Normal', 'Warning'] },
      reason,
      message: text,
      round: text,
      from: nullable('string'),
      to: nullable('string'),
    }),
  },
});
export const planAnswer = closed(
  {
    ok: flag,
    changes: { type: 'array', items: closed({ key: text, action: text, detail: text, reason }, ['key', 'action', 'detail']) },
    blocked: { type: 'array', items: closed({ key: text, reason, message: text, waits: flag }) },
    errors: strings,
    pendingPrune: strings,
    notes: strings,
    restart: strings,
  },
  ['ok', 'changes', 'blocked', 'errors', 'pendingPrune'],
);
const held = closed({ what: text, count: orNull(count), unit: oneOf(['rows', 'bytes']), note: nullable('string') });
export const heldAnswer = closed({
  person: text,
  document: orNull(closed({ file: text, line: count, from: nullable('string') })),
  server: nullable('string'),
  account: nullable('string'),
  held: list(held),
  sharedRooms: list(closed({ id: text, nome: text, app: text, people: count })),
  erasure: orNull(closed({ server: text, account: text, roomsTo: nullable('string'), askedAtMs: count, left: orNull(list(held)) })),
});
export const spaceQuery = closed({ person: personId, app: appId }, []);
export const spaceAnswer = closed({
  rows: list(
    closed({
      what: oneOf(spaceKinds),
      name: text,
      app: nullable('string'),
      person: nullable('string'),
      server: nullable('string'),
      bytes: orNull(count),
      isAtLeast: flag,
      note: nullable('string'),
    }),
  ),
  backups: nullable('string'),
});
export const doctorQuery = closed({ idioma: { type: 'string', enum: ['pt', 'en'] } }, []);
export const doctorAnswer = closed({
  checks: { type: 'array', items: closed({ name: text, ok: flag, warning: flag, detail: text, fix: nullable('string') }) },
});
export const linkAnswer = closed({ person: text, link: text, expiresAtMs: count });
