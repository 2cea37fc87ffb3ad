/**
 * The border where a server talks to the portal: every line a supervisor prints is checked here, whole, before anyone reads a
 * field of it. A server may be anyone's; nothing it says is taken on trust.
 */
import { appIdPattern } from '../../schema/app-id.ts';
import { lineShape } from '../../schema/compile-shape.ts';
import { backendStates, reasons, startSteps, type AppSnapshot } from '../../schema/backend.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';
import type { SupervisorPush, SupervisorReplies } from '../../schema/supervisor-protocol.ts';

const closed = (properties: Readonly<Record<string, object>>, optional: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});
const nullable = (schema: object): object => ({ anyOf: [{ type: 'null' }, schema] });
const text = (maxLength: number): object => ({ type: 'string', maxLength });
const count = { type: 'integer', minimum: 0 } as const;
const time = { type: 'number', minimum: 0 } as const;
const app = { type: 'string', pattern: appIdPattern } as const;
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const secretName = { type: 'string', pattern: '^[A-Z][A-Z0-9_]{0,63}$' } as const;
const reason = { enum: [...reasons] } as const;

/** The type says that no field of a snapshot goes unchecked. */
const snapshotFields: { readonly [Field in keyof AppSnapshot]-?: object } = {
  app,
  state: { enum: [...backendStates] },
  reason,
  message: text(8_192),
  sinceMs: time,
  wanted: { type: 'boolean' },
  pinned: { type: 'boolean' },
  requestId: nullable(text(128)),
  installed: nullable(closed({ version: text(256), hash, scope: { enum: ['sistema', 'pessoa'] } })),
  process: nullable(
    closed({ pid: { type: 'integer', minimum: 1 }, startTicks: count, bootId: text(64), startedAtMs: time, hash: nullable(hash) }),
  ),
  socket: { enum: ['absent', 'listening', 'orphan'] },
  tcpPorts: { type: 'array', maxItems: 256, items: { type: 'integer', minimum: 1, maximum: 65_535 } },
  step: nullable(closed({ name: { enum: [...startSteps] }, detail: text(8_192), atMs: time })),
  failures: count,
  nextAttemptAtMs: nullable(time),
  restarts: count,
  lastExit: nullable(
    closed({
      code: nullable({ type: 'integer' }),
      signal: nullable(text(32)),
      atMs: time,
      reason,
      lastLogLines: { type: 'array', maxItems: 20, items: text(65_536) },
    }),
  ),
  connections: nullable(count),
  idleDeadlineMs: nullable(time),
  contained: { type: 'boolean' },
  containedReason: text(8_192),
  secrets: closed({ declared: count, missing: { type: 'array', maxItems: 1_000, items: secretName }, restartNeeded: { type: 'boolean' } }),
  gpu: nullable(closed({ modo: { enum: ['opcional', 'necessaria'] }, concedida: { type: 'boolean' }, motivo: text(8_192) })),
};
const snapshot = closed(snapshotFields);
const accepted = closed({ accepted: { const: true } });
const apps = closed({ apps: { type: 'array', maxItems: 10_000, items: snapshot } });

/** Closed, so that a value can't come along. */
const secrets = closed({
  secrets: {
    type: 'array',
    maxItems: 1_000,
    items: closed({
      name: secretName,
      description: text(limits.secretDescriptionCharsMax),
      required: { type: 'boolean' },
      declared: { type: 'boolean' },
      set: { type: 'boolean' },
    }),
  },
  restartNeeded: { type: 'boolean' },
});

const replySchemas: { readonly [Op in keyof SupervisorReplies]: object } = {
  hello: closed(
    {
      protocol: count,
      version: text(128),
      pid: { type: 'integer', minimum: 1 },
      bootId: text(64),
      home: text(4_096),
      outdated: { type: 'boolean' },
      // Said only while it holds.
      disk: text(8_192),
    },
    ['outdated', 'disk'],
  ),
  subscribe: apps,
  snapshot: apps,
  usage: closed({
    atMs: time,
    apps: {
      type: 'array',
      maxItems: 10_000,
      items: closed({ app, pid: { type: 'integer', minimum: 1 }, cpuMs: time, memoryBytes: time, tasks: count }),
    },
  }),
  start: accepted,
  stop: accepted,
  pin: accepted,
  used: accepted,
  doubt: accepted,
  token: closed({ token: nullable(text(4_096)) }),
  log: closed({ text: { type: 'string' } }),
  follow: accepted,
  secrets,
  'secret-put': secrets,
  'secret-delete': secrets,
  quit: accepted,
};

const replyTroubles = Object.fromEntries(Object.entries(replySchemas).map(([op, schema]) => [op, lineShape(schema)]));
const failureTrouble = lineShape(closed({ code: text(128), message: text(8_192) }));
const pushTrouble = lineShape({
  anyOf: [
    closed({ event: { const: 'app' }, snapshot }),
    closed({ event: { const: 'gone' }, app }),
    closed({ event: { const: 'log' }, app, text: { type: 'string' } }),
  ],
});

export type SupervisorLine =
  | { readonly kind: 'reply'; readonly id: number; readonly body: Readonly<Record<string, unknown>> }
  | { readonly kind: 'failure'; readonly id: number; readonly error: { readonly code: string; readonly message: string } }
  | { readonly kind: 'push'; readonly push: SupervisorPush };

/** Throws SUPERVISOR_PROTOCOL; the body of a reply still has to pass `readReply` with the op that was asked. */
export function readSupervisorLine(line: string): SupervisorLine {
  const value = parseObject(line);
  if (!('id' in value)) {
    const trouble = pushTrouble(value);
    if (trouble !== null) throw unexpected('a push', trouble);
    return { kind: 'push', push: value as unknown as SupervisorPush };
  }
  const { id, ok, ...rest } = value;
  if (typeof id !== 'number' || !Number.isSafeInteger(id) || typeof ok !== 'boolean') throw unexpected('a reply', 'id or ok is missing');
  if (ok) return { kind: 'reply', id, body: rest };
  const { error, ...others } = rest;
  const trouble = Object.keys(others).length > 0 ? 'it says more' : failureTrouble(error);
  if (trouble !== null) throw unexpected('an error reply', trouble);
  return { kind: 'failure', id, error: error as { code: string; message: string } };
}

/** The reply as its op promises it; throws SUPERVISOR_PROTOCOL. */
export function readReply<Op extends keyof SupervisorReplies>(op: Op, body: Readonly<Record<string, unknown>>): SupervisorReplies[Op] {
  const troubleOf = replyTroubles[op];
  const trouble = troubleOf === undefined ? 'no such op' : troubleOf(body);
  if (trouble !== null) throw unexpected(`the reply to ${op}`, trouble);
  return body as unknown as SupervisorReplies[Op];
}

function parseObject(line: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw unexpected('a line', 'it is no JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw unexpected('a line', 'it is no JSON object');
  return value as Record<string, unknown>;
}

function unexpected(what: string, why: string): SvcError {
  return new SvcError('SUPERVISOR_PROTOCOL', `${what} of the supervisor does not have the expected shape: ${why.slice(0, 500)}`);
}
