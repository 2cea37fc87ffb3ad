/** Allows one installer at a time for an app. flock(1) holds the lock as a child that ends with us, however we end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync } from 'node:fs';
import { SvcError } from '../../schema/errors.ts';
import { appendPlainFileSync } from '../../schema/plain-file.ts';
import { limits } from './limits.ts';

/** Rejects INSTALL_BUSY when another installer keeps it for longer than the limit. The result releases it. */
export async function takeLock(file: string): Promise<() => void> {
  // Made here and not by flock, so that a full disk or a missing right is reported as such.
  closeSync(appendPlainFileSync(file, 0o644));
  const seconds = String(limits.installLockMsMax / 1_000);
  // `cat` lives as long as our end of the pipe: a SIGKILL closes it too.
  const argv = ['--no-fork', '-w', seconds, '-E', '75', file, '/bin/sh', '-c', 'echo locked; exec cat >/dev/null'];
  const child = spawn('flock', argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  const outcome = await Promise.race([
    once(child.stdout, 'data').then(() => 'locked' as const),
    once(child, 'exit').then(([code]) => Number(code)),
    once(child, 'error').then(([error]) => error as Error),
  ]);
  if (outcome === 'locked')
    return () => {
      child.stdin.end();
    };
  if (outcome === 75) throw new SvcError('INSTALL_BUSY', `another installer works on this app for more than ${seconds} s`);
  throw new SvcError('INTERNAL', `flock failed on ${file}: ${outcome instanceof Error ? outcome.message : `exit code ${outcome}`}`);
}
