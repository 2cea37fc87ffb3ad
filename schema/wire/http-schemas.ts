/**
 * JSON Schemas of the portal's routes, beside their types in http.ts: the border validates with them and the OpenAPI document is
 * made from them. Requests are closed objects; answers say what is written, and nothing else gets out.
 */
import { backendStates, conditionTypes, reasons, startSteps } from '../backend.ts';
import { limits } from '../limits.ts';

export const text = { type: 'string' } as const;
export const flag = { type: 'boolean' } as const;
export const count = { type: 'integer', minimum: 0 } as const;
export const nullable = <T extends string>(type: T) => ({ type: [type, 'null'] }) as const;
export const strings = { type: 'array', items: text } as const;

export function closed(properties: Record<string, unknown>, required: readonly string[] = Object.keys(properties)) {
  return { type: 'object', additionalProperties: false, required, properties } as const;
}

const status = { type: 'string', enum: backendStates } as const;
export const reason = { type: 'string', enum: reasons } as const;
/** Free-form JSON. */
const anything = { type: 'object', additionalProperties: true } as const;

/** Source: spec 2.1 `id`; at most one DNS label, since the id names an origin. */
export const appId = { type: 'string', pattern: '^[a-z0-9-]{1,63}$' } as const;
export const personId = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' } as const;
/** Queries arrive as text; nothing is coerced. */
const lines = { type: 'string', pattern: '^[0-9]{1,5}$' } as const;
const yes = { type: 'string', enum: ['1'] } as const;
export const objectKey = { type: 'string', maxLength: 256, pattern: '^[A-Za-z0-9._/@-]*$' } as const;
const secret = { type: 'string', minLength: 1, maxLength: 128 } as const;

export const appParams = closed({ id: appId });
export const backendParams = closed({ person: personId, app: appId });
export const serverParams = closed({ server: personId });
export const serverActBody = closed({ act: { type: 'string', enum: ['plan', 'add', 'rollback', 'remove'] }, force: flag }, ['act']);
export const noBody = { type: ['object', 'null'], additionalProperties: false, properties: {} } as const;
export const signInBody = {
  oneOf: [
    closed({ passe: secret }),
    closed({
      login: { type: 'string', minLength: 1, maxLength: limits.loginCharsMax, pattern: '^[^\\u0000-\\u001f\\u007f]+$' },
      // A NUL ends a password for PAM.
      senha: { type: 'string', minLength: 1, maxLength: limits.passwordCharsMax, pattern: '^[^\\u0000]+$' },
    }),
  ],
} as const;
const sessionId = { type: 'string', pattern: '^[\\w-]{22}$' } as const;
export const sessionParams = closed({ id: sessionId });
export const sessionsQuery = closed({ outras: yes }, []);
export const personParams = closed({ person: personId });
export const adminSessionParams = closed({ person: personId, id: sessionId });
export const adminSessionsQuery = closed({ person: personId }, []);
/** What a provider sends back (RFC 6749 4.1.2, RFC 9207), and whatever else it adds. */
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
export const linkBody = { ...closed({ person: personId, admin: flag }, []), type: ['object', 'null'] } as const;

export const problem = {
  type: 'object',
  additionalProperties: true,
  required: ['type', 'title', 'status', 'code', 'detail', 'error'],
  properties: { type: text, title: text, status: count, code: text, detail: text, error: text },
} as const;

export const sessionAnswer = closed({
  usuario: text,
  nome: text,
  login: text,
  iniciais: text,
  grupos: strings,
  admin: flag,
  appUrlTemplate: text,
  origins: { type: 'string', enum: ['subdomain', 'path'] },
  shellVersion: text,
  aviso: { anyOf: [closed({ reason, message: text }), { type: 'null' }] },
});

export const signInMethodsAnswer = closed({
  link: flag,
  ssh: flag,
  oidc: { anyOf: [closed({ label: text }), { type: 'null' }] },
});
const sessionRow = {
  id: text,
  method: { type: 'string', enum: ['link', 'ssh', 'oidc'] },
  address: text,
  agent: text,
  admin: flag,
  createdAtMs: count,
  seenAtMs: count,
  expiresAtMs: count,
  current: flag,
} as const;
export const sessionsAnswer = closed({ sessoes: { type: 'array', items: closed(sessionRow) } });
export const adminSessionsAnswer = closed({ sessions: { type: 'array', items: closed({ person: text, ...sessionRow }) } });
export const sessionsEndedAnswer = closed({ encerradas: count });

export const appProjection = closed({
  id: text,
  name: text,
  version: text,
  type: { type: 'string', enum: ['app', 'engine'] },
  kind: { type: 'string', enum: ['app', 'service'] },
  description: text,
  category: text,
  icone: nullable('string'),
  window: anything,
  gpu: flag,
  escopo: { type: 'string', enum: ['pessoa', 'servidor'] },
  aoFechar: text,
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
  failures: count,
  nextAttemptAtMs: nullable('number'),
  contained: flag,
  containedReason: text,
  secrets: closed({ declared: count, missing: strings, restartNeeded: flag }),
  gpuVerdict: {
    anyOf: [closed({ modo: { type: 'string', enum: ['opcional', 'necessaria'] }, concedida: flag, motivo: text }), { type: 'null' }],
  },
  stale: flag,
  step: { anyOf: [closed({ name: { type: 'string', enum: startSteps }, detail: text }), { type: 'null' }] },
});
export const appsAnswer = closed({ apps: { type: 'array', items: appProjection } });

export const startAnswer = closed({ ready: flag, status, reason, message: text, retryAfterMs: { type: 'number' } }, [
  'ready',
  'status',
  'reason',
  'message',
]);
/** Source: spec 2.1 `secrets[].name`. */
const secretName = { type: 'string', pattern: '^[A-Z][A-Z0-9_]{0,63}$' } as const;
export const secretParams = closed({ id: appId, nome: secretName });
export const adminSecretParams = closed({ person: personId, app: appId, nome: secretName });
export const secretBody = closed({ value: { type: 'string', minLength: 1, maxLength: limits.secretValueBytesMax } });
export const secretsAnswer = closed({
  secrets: { type: 'array', items: closed({ name: text, description: text, required: flag, declared: flag, set: flag }) },
  restartNeeded: flag,
});
export const windowsAnswer = closed({ abertas: count });

const condition = closed({
  type: { type: 'string', enum: conditionTypes },
  status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
  reason,
  message: text,
  observedGeneration: count,
  sinceMs: count,
});
export const objectsAnswer = {
  type: 'array',
  items: closed({
    key: text,
    kind: text,
    name: text,
    state: text,
    reason,
    message: text,
    conditions: { type: 'array', items: condition },
    seenAtMs: count,
    nextDeadlineMs: nullable('number'),
    details: anything,
  }),
} as const;
export const whyAnswer = closed({
  key: text,
  sentence: text,
  waitsFor: nullable('string'),
  nextDeadlineMs: nullable('number'),
  lastLogLines: strings,
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
    changes: { type: 'array', items: closed({ key: text, action: text, detail: text }) },
    errors: strings,
    pendingPrune: strings,
    notes: strings,
  },
  ['ok', 'changes', 'errors', 'pendingPrune'],
);
export const doctorAnswer = closed({
  checks: { type: 'array', items: closed({ name: text, ok: flag, warning: flag, detail: text, fix: nullable('string') }) },
});
export const linkAnswer = closed({ person: text, link: text, expiresAtMs: count });
