/** Files that are either the old or the new one, never half of either, also when the process is killed in between. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';

interface Options {
  readonly mode?: number;
  /** Survives a power cut: for the person's wish. What dies with the boot (pid, marker, status) does not need it. */
  readonly durable?: boolean;
}

/** The temporary name holds a '.', the pid and no app id, so a leftover of a killed process is overwritten or ignored. */
export function writeFileAtomic(path: string, text: string, options: Options = {}): void {
  const temporary = `${path}.${process.pid}.tmp`;
  const fd = openSync(temporary, 'w', options.mode ?? 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
    if (options.durable === true) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporary, path);
}

/** Null when there is no such file; other errors are thrown. */
export function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** True when it was there. */
export function unlinkIfThere(path: string): boolean {
  try {
    unlinkSync(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

export function isMissing(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}
