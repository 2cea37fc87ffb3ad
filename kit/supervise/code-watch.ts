/**
 * Whether the kit was exchanged under this supervisor, also for one of the same version number: the command that it was started by leads
 * elsewhere now (`current` of a server's kit), or another file stands where its code was read from. Compared with its own past only, so two
 * portals of one account with kits of their own never end each other's supervisor. Decision: docs/decisions/0138-supervisors-make-room.md
 */
import { realpathSync, statSync } from 'node:fs';

/** `command` as the shim was called, before links are followed; `code` is the file that runs. The answer is false while it can't be read. */
export function codeWatch(command: string | undefined, code: string): () => boolean {
  const now = (): readonly (string | null)[] => [
    command === undefined ? null : readable(() => realpathSync(command)),
    readable(() => stampOf(code)),
  ];
  const first = now();
  return () => now().some((value, index) => value !== null && first[index] !== null && value !== first[index]);
}

function stampOf(path: string): string {
  const { ino, size, mtimeMs } = statSync(path);
  return `${ino} ${size} ${mtimeMs}`;
}

function readable(read: () => string): string | null {
  try {
    return read();
  } catch {
    return null;
  }
}
