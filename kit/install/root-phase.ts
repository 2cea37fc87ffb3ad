/**
 * The first of the two runs of `installCommand` (rules 2.1): once at install, as the installing account, with its own log. The person's run is the
 * launcher's (kit/launch/set-up.ts). Its processes end with the installer, also when that is killed, and in whatever session: they are known by a
 * mark in their environment. One that empties its environment stays.
 */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { processesWith, signal } from '../processes.ts';

export interface RootPhase {
  readonly manifest: Manifest;
  /** The package folder, where it will stay. */
  readonly folder: string;
  readonly hash: string;
  readonly log: string;
  readonly home: string;
  readonly rebuild: boolean;
  readonly engines: ReadonlyMap<string, string>;
  readonly deadlineMs?: number;
}

const markName = 'SVC_APP_INSTALL_RUN';

/**
 * Ends the group and all that carry the mark when the pipe on descriptor 3 closes, which it does with us; a signal at our death would reach the
 * shell only. It does so twice: a process may have begun another one since it was checked.
 */
const watched = `(read -r end <&3; read -r me rest < /proc/self/stat
for round in 1 2; do
  for file in /proc/[0-9]*/environ; do
    pid=\${file%/environ}; pid=\${pid#/proc/}
    [ "$pid" = "$me" ] || ! grep -qsF "${markName}=$${markName}" "$file" || kill -KILL "$pid"
  done
done 2> /dev/null; kill -KILL 0) & exec 3<&-; exec /bin/sh -c "$1"`;

const roundsMax = 20;

/** Kills the processes that the command left running, in sessions of their own, too. Each pass ends those that were started during the one before. */
function endMarked(mark: string): void {
  for (let round = 1; round <= roundsMax; round += 1) {
    const found = processesWith(markName, mark);
    if (found.length === 0) return;
    for (const pid of found) signal(pid, 'SIGKILL');
  }
}

/** Rejects INSTALL_COMMAND_FAILED with the place of the log. */
export async function runRootPhase(phase: RootPhase): Promise<void> {
  const command = phase.manifest.backend.installCommand ?? '';
  if (command.trim() === '') return;
  const deadlineMs = phase.deadlineMs ?? limits.installCommandMsMax;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  const log = openSync(phase.log, flags, 0o600);
  writeSync(log, `installCommand of ${phase.manifest.id} ${phase.manifest.version}\n`);
  const mark = randomUUID();
  const child = spawn('/bin/sh', ['-c', watched, 'installCommand', command], {
    cwd: phase.folder,
    env: {
      LANG: 'C.UTF-8',
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
      HOME: phase.home,
      [markName]: mark,
      SVC_APP_ID: phase.manifest.id,
      SVC_APP_INSTALLED_HASH: phase.hash,
      ...Object.fromEntries(phase.engines),
      ...(phase.rebuild ? { SVC_APP_REBUILD: '1' } : {}),
    },
    detached: true,
    stdio: ['ignore', log, log, 'pipe'],
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    if (child.pid !== undefined) signal(-child.pid, 'SIGKILL');
  }, deadlineMs);
  const ended = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, name) => resolve(code === 0 ? '' : name === null ? `exit code ${code}` : `signal ${name}`));
  });
  clearTimeout(timer);
  closeSync(log);
  // Processes left by the command would hold the folder of a version that may be dropped.
  if (child.pid !== undefined) signal(-child.pid, 'SIGKILL');
  endMarked(mark);
  if (late) throw new SvcError('INSTALL_COMMAND_FAILED', `installCommand was ended after ${deadlineMs / 1_000} s: see ${phase.log}`);
  if (ended !== '') throw new SvcError('INSTALL_COMMAND_FAILED', `installCommand failed: ${ended}; its output is in ${phase.log}`);
}
