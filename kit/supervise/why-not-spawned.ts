/** Why the kernel ran no command: it says the same of a program that is not there as of one whose interpreter is not. */
import { readPlainFileSync } from '../../schema/plain-file.ts';
import { errorCode } from '../../schema/system-error.ts';

/** An ELF header or a first line; the kernel reads as many. */
const headBytes = 256;

export function whyNotSpawned(error: Error): string {
  const { path: program = '' } = error as NodeJS.ErrnoException;
  const head = headOf(program);
  if (head === null) return error.message;
  const code = errorCode(error);
  const interpreter = /^#![ \t]*(\S+)/.exec(head)?.[1];
  if (code === 'ENOENT' && interpreter !== undefined) return `its first line names ${interpreter}, which is not on this server: ${program}`;
  if (code === 'ENOENT' && head.startsWith('\x7fELF')) return `it was built for another libc than this server has: ${program}`;
  if (code === 'EACCES') return `it may not be executed (its mode, or a file system that is mounted noexec): ${program}`;
  if (code === 'ENOEXEC') return `it is no program of this kind of machine, and has no #! line: ${program}`;
  return error.message;
}

/** Null: it is not there, is no plain file, or can't be read. */
function headOf(program: string): string | null {
  try {
    return program === '' ? null : readPlainFileSync(program, headBytes).toString('latin1');
  } catch {
    return null;
  }
}
