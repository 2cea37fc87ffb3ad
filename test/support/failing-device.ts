/** A device that fails: strace makes the kernel answer a process with EIO where it reads or writes some files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const calls = {
  reading: 'pread64,preadv,read',
  writing: 'pwrite64,pwritev,write,fsync,fdatasync,ftruncate',
} as const;

/** From when it resolves until the returned function has resolved. */
export function failDevice(pid: number, what: keyof typeof calls, files: readonly string[]): Promise<() => Promise<void>> {
  return failPaths(pid, calls[what], 'EIO', files);
}

/** The system calls of the list answer with the error where they name one of the paths, or a descriptor of one. */
export async function failPaths(pid: number, names: string, error: string, files: readonly string[]): Promise<() => Promise<void>> {
  const paths = files.flatMap((file) => ['-P', file]);
  const rules = ['-e', `trace=${names}`, '-e', `inject=${names}:error=${error}`];
  const child = spawn('strace', ['-f', '-o', '/dev/null', ...rules, ...paths, '-p', String(pid)], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  let said = '';
  for await (const line of createInterface({ input: child.stderr })) {
    said += `${line}\n`;
    if (line.includes(' attached')) break;
  }
  if (child.exitCode !== null) throw new Error(`strace could not attach: ${said}`);
  child.stderr.resume();
  return async () => {
    child.kill('SIGTERM');
    await exited;
  };
}
