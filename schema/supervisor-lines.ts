/**
 * Lines of a supervisor, as JSON Schemas and as the types made from them: the portal checks every line with them before it reads a field
 * (controller/observe/supervisor-lines.ts); the supervisor takes the types alone. All of it is closed, so that no value of a secret can come along.
 */
import { appIdPattern } from './app-id.ts';
import { backendStates, startSteps } from './backend.ts';
import { reasons, type StopReason } from './reasons/derived.ts';
import { limits } from './limits.ts';
import { type Wire, closed, count, flag, list, oneOf, orNull } from './static.ts';
import type { Numbered, StartOrder } from './supervisor-protocol.ts';

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

const always = {
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
} as const;
const alwaysNames = Object.keys(always) as (keyof typeof always)[];

/** The state of one app of the supervisor's person. The file `status.json` holds the same object. */
const snapshot = closed(
  {
    ...always,
    /** The work that keeps it busy, as it says itself; missing from a supervisor of an older kit. */
    busy: orNull(text(limits.busyCharsMax)),
    /** The job of a cluster that it runs as: its id there, its place among those that wait, when its time is over, and the cluster's own words. */
    job: closed({ state: oneOf(['waiting', 'running']), id: text(64), place: orNull(count), endsAtMs: orNull(time), words: text(512) }),
  },
  alwaysNames,
);
export type AppSnapshot = Wire<typeof snapshot>;

const accepted = closed({ accepted: { const: true } });
const apps = closed({ apps: { ...list(snapshot), maxItems: 10_000 } });

/** The usage of an app since its start, and its present memory: two readings give the rate. Readings of different pids are not compared. */
const use = closed({ app, pid, cpuMs: time, memoryBytes: time, /** Processes and threads. */ tasks: count });
export type AppUse = Wire<typeof use>;

const secret = closed({ name: secretName, description: text(limits.secretDescriptionCharsMax), required: flag, declared: flag, set: flag });
const secrets = closed({ secrets: { ...list(secret), maxItems: 1_000 }, restartNeeded: flag });

/** An order with such fields, and the shape of its reply. */
const order =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- given apart from the reply: no type is inferred beside one that is given
  <Fields = unknown>() =>
    <const Reply extends object>(reply: Reply) => ({ reply, isNumbered: false as const, fields: null as unknown as Fields });
/** The same for one that changes something; it carries the number of the portal. */
const numbered =
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- given apart from the reply: no type is inferred beside one that is given
  <Fields = unknown>() =>
    <const Reply extends object>(reply: Reply) => ({ reply, isNumbered: true as const, fields: null as unknown as Fields & Numbered });
interface OfApp {
  readonly app: string;
}

/**
 * Orders of the portal, a row each: fields, whether it is numbered, and the reply `{ id, ok: true, … }`; the other reply is
 * `{ id, ok: false, error: { code, message } }`. kit/supervise/requests.ts checks the fields, server.ts there carries it out.
 */
export const orders = {
  hello: order()(
    closed(
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
  ),
  /** Reply holds all snapshots; afterwards every change is pushed. Never refused for its number: by it a portal that leads from now on makes itself known. */
  subscribe: numbered()(apps),
  snapshot: order()(apps),
  /** Present usage of the living apps, `atMs` by the monotonic clock of the supervisor. Not in the snapshots because it changes with every reading. */
  usage: order()(closed({ atMs: time, apps: { ...list(use), maxItems: 10_000 } })),
  /** Writes the env file, resets the failures and launches. Replies when the launch is under way, not when the app answers. */
  start: numbered<StartOrder>()(accepted),
  /** Deletes the env file, then SIGTERM, limits.stopGraceMs, SIGKILL. Replies when the env file is gone. */
  stop: numbered<OfApp & { readonly requestId: string; readonly reason: StopReason }>()(accepted),
  /** Sets or clears the pin of a wanted app without touching the process. */
  pin: numbered<OfApp & { readonly pinned: boolean }>()(accepted),
  /** A request went to the app. Its connection may be gone before a pass sees it. Source: rules 3.3, supervisor rule 3. */
  used: order<OfApp>()(accepted),
  /** A request waits for the app: does it answer? The result comes as a snapshot. */
  doubt: order<OfApp>()(accepted),
  /** The token of a wanted app, so that a restarted portal can go on proxying. */
  token: order<OfApp>()(closed({ token: orNull(text(4_096)) })),
  log: order<OfApp & { readonly tail: number; readonly previous: boolean }>()(closed({ text: { type: 'string' } })),
  /** Pushes `log` lines until the connection closes. */
  follow: order<OfApp & { readonly tail: number }>()(accepted),
  /** Appends one line of ours to run.log of a living app: what the shell saw of it. */
  note: order<OfApp & { readonly text: string }>()(accepted),
  /** Names of the manifest and of the vault; never a value. */
  secrets: order<OfApp>()(secrets),
  /** Into the vault, when the manifest asks for the name. The value is in no reply, no push and no log. Source: rules 5. */
  'secret-put': numbered<OfApp & { readonly name: string; readonly value: string }>()(secrets),
  /** Out of the vault; no error when it is not there. */
  'secret-delete': numbered<OfApp & { readonly name: string }>()(secrets),
  /** Ends the supervisor; backends stay. Not numbered: older supervisors get it too, and it ends no app. */
  quit: order()(accepted),
} as const;
type Orders = typeof orders;
export type SupervisorRequest = {
  [Op in keyof Orders]: { readonly id: number; readonly op: Op } & Orders[Op]['fields'];
}[keyof Orders];
export type SupervisorReplies = { readonly [Op in keyof Orders]: Wire<Orders[Op]['reply']> };

export const failure = closed({ code: text(128), message: text(8_192) });

export const push = {
  anyOf: [
    closed({ event: { const: 'app' }, snapshot }),
    closed({ event: { const: 'gone' }, app }),
    closed({ event: { const: 'log' }, app, text: { type: 'string' } }),
  ],
} as const;
export type SupervisorPush = Wire<typeof push>;
