/** Step 5: `installCommand` as the person, when the installed code is not the one it was run for (rules 3.1). */
import { spawn } from 'node:child_process';
import { limits } from '../limits.ts';
import { readEvidence } from '../atomic-file.ts';
import { livingPids, readStat, signal } from '../processes.ts';
import { LaunchRefused } from './refusal.ts';

/** Whether set-up is due: the marker holds the hash that it was run for. SVC_APP_REBUILD=1 in the wish asks for it again. */
export function setUpDue(hashFile: string, hash: string, command: string | undefined, rebuild: boolean): boolean {
  return command !== undefined && command.trim() !== '' && (rebuild || readEvidence(hashFile)?.trim() !== hash);
}

/**
 * Runs it in the launcher's own process group, so that a stop of the launcher ends it too. Throws InstallCommandFailed with its
 * exit code, or after the deadline, when the rest of the group is killed.
 */
export async function runSetUp(
  command: string,
  options: { readonly cwd: string; readonly environment: Record<string, string>; readonly logFd: number; readonly deadlineMs?: number },
): Promise<void> {
  const deadlineMs = options.deadlineMs ?? limits.installCommandMsMax;
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: options.cwd,
    env: options.environment,
    stdio: ['ignore', options.logFd, options.logFd],
  });
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    killRestOfGroup();
  }, deadlineMs);
  const ended = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, name) => resolve(code === 0 ? '' : name === null ? `exit code ${code}` : `signal ${name}`));
  });
  clearTimeout(timer);
  if (late) throw new LaunchRefused('InstallCommandFailed', `installCommand was ended after ${deadlineMs / 1_000} s`);
  if (ended !== '') throw new LaunchRefused('InstallCommandFailed', `installCommand failed: ${ended}; its output is above`);
}

/** Everything in our group but ourselves. Only a group leader may call it: then the group is ours alone. */
function killRestOfGroup(): void {
  for (const pid of livingPids()) {
    if (pid !== process.pid && readStat(pid)?.group === readStat(process.pid)?.group) signal(pid, 'SIGKILL');
  }
}
