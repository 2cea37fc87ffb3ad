/**
 * Backups that the portal makes by itself, as `Portal.spec.backup` says: each is a process of its own, `svc backup`. A failed one is
 * logged, and tried again after a wait that doubles. Their state is in the store, so that the next start, and the next leader, goes on.
 * Decision: docs/decisions/0407-scheduled-backups.md
 */
import { execFile, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import type { Logger } from 'pino';
import type { PortalSpec } from '../../controller/desired/restart.ts';
import { durationMs, type BackupStanding } from '../../schema/backups.ts';
import type { Clock } from '../../schema/clock.ts';
import type { Store } from '../../store/store.ts';
import { limits } from '../limits.ts';

type BackupSpec = NonNullable<PortalSpec['backup']>;
type Kept = Omit<BackupStanding, 'to' | 'everyMs'>;

export interface BackupsOptions {
  readonly stateDir: string;
  readonly desiredDir: string;
  readonly store: Pick<Store, 'value' | 'putValue'>;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'info' | 'error'>;
  /** Receives the function that ends a running backup. */
  readonly ends: (() => Promise<void> | void)[];
  /** Answers what the command printed. Rejects with what it said of its failure; a signal that fires ends it. */
  readonly run?: (args: readonly string[], signal: AbortSignal) => Promise<string>;
}

/** Inputs that may change while the portal runs. */
export interface Followed {
  /** Undefined: none are asked for. */
  readonly spec: () => BackupSpec | undefined;
  readonly leads: () => boolean;
}

export interface Backups {
  /** From now on they are made. */
  follow(followed: Followed): void;
  /** Null: none are asked for. */
  standing(): BackupStanding | null;
}

const storedAs = 'backups';
const nothing: Kept = { madeMs: null, checkedMs: null, left: [], error: null, failures: 0, triedMs: null };

export async function keepBackups({ run = runCommand, ...options }: BackupsOptions): Promise<Backups> {
  const { store, clock } = options;
  const read = async (): Promise<Kept> => ({ ...nothing, ...(JSON.parse((await store.value(storedAs)) ?? '{}') as Partial<Kept>) });
  let kept = await read();
  let followed: Followed | null = null;
  const ended = new AbortController();
  let underWay: Promise<void> = Promise.resolve();
  const look = async ({ spec, leads }: Followed): Promise<void> => {
    // Another portal may have made one meanwhile.
    kept = await read();
    const asked = spec();
    if (asked === undefined || !leads() || clock.nowMs() < dueMs(asked, kept)) return;
    kept = await tryOnce(asked, kept, { ...options, run }, ended.signal);
    if (!ended.signal.aborted) await store.putValue(storedAs, JSON.stringify(kept));
  };
  let cancel = (): void => {};
  const arm = (now: Followed): void => {
    if (ended.signal.aborted) return;
    cancel = clock.at(clock.monotonicMs() + limits.backupLookMs, () => {
      underWay = look(now)
        .catch((err: unknown) => options.log.error({ err }, 'scheduled backups could not be looked at'))
        .finally(() => arm(now));
    });
  };
  options.ends.push(async () => {
    ended.abort();
    cancel();
    await underWay;
  });
  return {
    follow: (now) => {
      followed = now;
      arm(now);
    },
    standing: () => {
      const asked = followed?.spec();
      return asked === undefined ? null : { to: path.resolve(options.stateDir, asked.to), everyMs: durationMs(asked.every), ...kept };
    },
  };
}

/** After a failure the wait doubles, and is never longer than what is asked for. */
export function dueMs(
  { every }: Pick<BackupSpec, 'every'>,
  { madeMs, failures, triedMs }: Pick<Kept, 'madeMs' | 'failures' | 'triedMs'>,
): number {
  const everyMs = durationMs(every);
  if (failures > 0 && triedMs !== null) return triedMs + Math.min(everyMs, limits.backupRetryMs * 2 ** Math.min(failures - 1, 20));
  return madeMs === null ? 0 : madeMs + everyMs;
}

async function tryOnce(
  spec: BackupSpec,
  before: Kept,
  { stateDir, desiredDir, clock, log, run }: BackupsOptions & { readonly run: NonNullable<BackupsOptions['run']> },
  signal: AbortSignal,
): Promise<Kept> {
  const triedMs = clock.nowMs();
  const isCheckDue = before.checkedMs === null || triedMs - before.checkedMs >= limits.backupCheckEveryMs;
  const args = ['backup', path.resolve(stateDir, spec.to), '--state', stateDir, '--desired', desiredDir, '-o', 'json', ...keepArgs(spec)];
  try {
    const text = await run([...args, ...(isCheckDue ? ['--check'] : [])], signal);
    const { backup } = JSON.parse(text) as {
      readonly backup: { readonly id: string; readonly atMs: number; readonly left: readonly string[] };
    };
    log.info({ id: backup.id, to: spec.to, left: backup.left }, 'a backup was made');
    return {
      madeMs: backup.atMs,
      checkedMs: isCheckDue ? triedMs : before.checkedMs,
      left: backup.left,
      error: null,
      failures: 0,
      triedMs,
    };
  } catch (err) {
    const error = err instanceof Error ? err.message : String(err);
    if (signal.aborted) return before;
    log.error({ error, to: spec.to, failures: before.failures + 1 }, 'a backup failed; it is tried again');
    return { ...before, error, failures: before.failures + 1, triedMs };
  }
}

const keepArgs = ({ keep = {} }: BackupSpec): readonly string[] =>
  Object.entries(keep).flatMap(([rule, count]) => [`--keep-${rule}`, `${count}`]);

const command = path.resolve(import.meta.dirname, '../../bin/svc');

async function runCommand(args: readonly string[], signal: AbortSignal): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const child: ChildProcess = execFile(
    command,
    args,
    { signal, timeout: limits.backupMsMax, maxBuffer: 16 * 1_024 * 1_024 },
    (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(said(stderr) ?? error.message, { cause: error }));
    },
  );
  // People come first.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  return await promise;
}

/** `svc: CODE text`; the lines before it are of something else. */
const said = (stderr: string): string | null => /^svc: (.+)$/m.exec(stderr)?.[1] ?? null;
