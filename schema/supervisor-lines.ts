/**
 * Lines of a supervisor, as JSON Schemas and as the types made from them: the portal checks every line with them before it reads a field
 * (controller/observe/supervisor-lines.ts); the supervisor takes the types alone. All of it is closed, so that no value of a secret can come along.
 */
import { appIdPattern } from './app-id.ts';
import { backendStates, startSteps } from './backend.ts';
import { reasons } from './reasons/derived.ts';
import { limits } from './limits.ts';
import { type Wire, closed, count, flag, list, oneOf, orNull } from './static.ts';

const text = (maxLength: number) => ({ type: 'string', maxLength }) as const;
const time = { type: 'number', minimum: 0 } as const;
const pid = { type: 'integer', minimum: 1 } as const;
const app = { type: 'string', pattern: appIdPattern } as const;
const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const secretName = { type: 'string', pattern: '^[A-Z][A-Z0-9_]{0,63}$' } as const;
const reason = oneOf(reasons);

/** How the last process ended. */
const lastExit = closed({
  code: orNull({ type: 'integer' }),
  signal: orNull(text(32)),
  atMs: time,
  reason,
  /** Secrets redacted. */
  lastLogLines: { ...list(text(65_536)), maxItems: 20 },
});
export type LastExit = Wire<typeof lastExit>;

/** The verdict of the last launch that got that far. Source: rules 3.1 step 6. */
const gpu = closed(
  {
    modo: oneOf(['opcional', 'necessaria']),
    concedida: flag,
    /** A sentence: which device, or why none. */
    motivo: text(8_192),
    /** The cards that were given; a supervisor of an older kit does not say. */
    dispositivos: {
      ...list(closed({ dispositivo: text(256), fornecedor: text(256), modelo: text(256), driver: text(256) })),
      maxItems: 64,
    },
  },
  ['modo', 'concedida', 'motivo'],
);

/** The state of one app of the supervisor's person. The file `status.json` holds the same object. */
const snapshot = closed({
  app,
  state: oneOf(backendStates),
  reason,
  message: text(8_192),
  sinceMs: time,
  /** The env file exists: desired state running. Source: rules 2.6. */
  wanted: flag,
  pinned: flag,
  /** Id of the start or stop request that was carried out last; null when none is known. */
  requestId: orNull(text(128)),
  installed: orNull(closed({ version: text(256), hash, scope: oneOf(['sistema', 'pessoa']) })),
  process: orNull(closed({ pid, startTicks: count, bootId: text(64), startedAtMs: time, hash: orNull(hash) })),
  socket: oneOf(['absent', 'listening', 'orphan']),
  /** TCP ports that the process listens on; only looked for while the socket is missing. */
  tcpPorts: { ...list({ type: 'integer', minimum: 1, maximum: 65_535 }), maxItems: 256 },
  step: orNull(closed({ name: oneOf(startSteps), detail: text(8_192), atMs: time })),
  /** Consecutive failures; 5 means failed. */
  failures: count,
  nextAttemptAtMs: orNull(time),
  /** How often it was relaunched after an unrequested end, since it was started last. */
  restarts: count,
  lastExit: orNull(lastExit),
  /** Open connections on the socket without our own probes; null when it could not be read. */
  connections: orNull(count),
  idleDeadlineMs: orNull(time),
  contained: flag,
  containedReason: text(8_192),
  /** Compares the manifest's `secrets` with the person's vault: how many are declared, and which `required` ones the vault lacks. */
  secrets: closed({
    declared: count,
    missing: { ...list(secretName), maxItems: 1_000 },
    /** The process was started with other values than the vault holds now. */
    restartNeeded: flag,
  }),
  /** Null for an app that declares no GPU. */
  gpu: orNull(gpu),
});
export type AppSnapshot = Wire<typeof snapshot>;

const accepted = closed({ accepted: { const: true } });
const apps = closed({ apps: { ...list(snapshot), maxItems: 10_000 } });

/** The usage of an app since its start, and its present memory: two readings give the rate. Readings of different pids are not compared. */
const use = closed({ app, pid, cpuMs: time, memoryBytes: time, /** Processes and threads. */ tasks: count });
export type AppUse = Wire<typeof use>;

const secret = closed({ name: secretName, description: text(limits.secretDescriptionCharsMax), required: flag, declared: flag, set: flag });
const secrets = closed({ secrets: { ...list(secret), maxItems: 1_000 }, restartNeeded: flag });

/** The reply `{ id, ok: true, … }` by op; the other reply is `{ id, ok: false, error: { code, message } }`. */
export const replies = {
  hello: closed(
    {
      protocol: count,
      version: text(128),
      pid,
      bootId: text(64),
      home: text(4_096),
      /** Other code is installed than this supervisor was started from. Absent: from a kit that does not check. */
      outdated: flag,
      /** Why nothing can be written to the home; missing when it can. */
      disk: text(8_192),
    },
    ['protocol', 'version', 'pid', 'bootId', 'home'],
  ),
  subscribe: apps,
  snapshot: apps,
  /** `atMs` by the monotonic clock of the supervisor. */
  usage: closed({ atMs: time, apps: { ...list(use), maxItems: 10_000 } }),
  start: accepted,
  stop: accepted,
  pin: accepted,
  used: accepted,
  note: accepted,
  doubt: accepted,
  token: closed({ token: orNull(text(4_096)) }),
  log: closed({ text: { type: 'string' } }),
  follow: accepted,
  secrets,
  'secret-put': secrets,
  'secret-delete': secrets,
  quit: accepted,
} as const;
export type SupervisorReplies = { readonly [Op in keyof typeof replies]: Wire<(typeof replies)[Op]> };

export const failure = closed({ code: text(128), message: text(8_192) });

export const push = {
  anyOf: [
    closed({ event: { const: 'app' }, snapshot }),
    closed({ event: { const: 'gone' }, app }),
    closed({ event: { const: 'log' }, app, text: { type: 'string' } }),
  ],
} as const;
export type SupervisorPush = Wire<typeof push>;
