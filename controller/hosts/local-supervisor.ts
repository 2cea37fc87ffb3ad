/** Starts `svc-app-supervisor` on this machine, out of the portal's session and process group, so that it outlives the portal. */
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pause, type Clock, withDeadline } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { appendPlainFileSync } from '../../schema/plain-file.ts';
import { limits } from './limits.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { checkSocketPath, dialSocket } from './unix-socket.ts';

export interface SupervisorStart {
  readonly place: ServerPlace;
  readonly account: string;
  /** Folder with svc-app-supervisor. */
  readonly binDir: string;
  readonly clock: Clock;
}

/** Resolves when its socket takes connections; rejects SUPERVISOR_FAILED with the place of its log. */
export async function startLocalSupervisor({ place, account, binDir, clock }: SupervisorStart): Promise<void> {
  const paths = accountPaths(place);
  checkSocketPath(paths.supervisorSocket);
  await mkdir(paths.root, { recursive: true, mode: 0o700 });
  await chmod(paths.root, 0o700);
  const log = appendPlainFileSync(paths.supervisorLog, 0o600);
  const child = spawn(path.join(binDir, 'svc-app-supervisor'), [], {
    cwd: place.home,
    // setsid: neither a Ctrl-C at the portal's terminal nor its end reaches the supervisor or the apps.
    detached: true,
    stdio: ['ignore', log, log],
    env: supervisorEnvironment(place, account),
  });
  closeSync(log);
  child.unref();
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('error', (error) => reject(new SvcError('SUPERVISOR_FAILED', `svc-app-supervisor did not start: ${error.message}`)));
    child.once('exit', (code, signal) => {
      // 0 and 75 mean that another one holds the lock: the socket will tell.
      if (code !== 0 && code !== 75)
        reject(new SvcError('SUPERVISOR_FAILED', `svc-app-supervisor ended with ${signal ?? code}: see ${paths.supervisorLog}`));
    });
  });
  failed.catch(() => undefined);
  const late = (): SvcError =>
    new SvcError(
      'SUPERVISOR_FAILED',
      `svc-app-supervisor did not answer within ${limits.supervisorStartMsMax / 1_000} s: see ${paths.supervisorLog}`,
    );
  const giveUp = new AbortController();
  try {
    await withDeadline(
      clock,
      limits.supervisorStartMsMax,
      Promise.race([untilAnswers(paths.supervisorSocket, clock, giveUp.signal), failed]),
      late,
    );
  } finally {
    giveUp.abort();
    child.removeAllListeners();
  }
}

function supervisorEnvironment(place: ServerPlace, account: string): NodeJS.ProcessEnv {
  const kept = ['PATH', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'XDG_RUNTIME_DIR', 'NODE_COMPILE_CACHE'];
  const environment = Object.fromEntries(kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  return { ...environment, HOME: place.home, USER: account, LOGNAME: account, SHELL: '/bin/sh', SVC_PREFIX: place.prefix };
}

/** Resolves when a connection is accepted. It polls, because watching a folder that does not exist yet is not reliable. */
async function untilAnswers(socketPath: string, clock: Clock, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const stream = await dialSocket(socketPath, clock).catch(() => null);
    stream?.destroy();
    if (stream) return;
    await pause(clock, 10);
  }
}
