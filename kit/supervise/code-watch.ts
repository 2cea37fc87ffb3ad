/**
 * Whether the kit was replaced under this supervisor, also by one of the same version number: its start command leads elsewhere now
 * (`current` of a server's kit), or its code file was replaced. Compared with its own past only, so two portals of one account with
 * separate kits never end each other's supervisor. Decision: docs/decisions/0138-supervisors-make-room.md
 */
import { realpathSync, statSync } from 'node:fs';

/** `command` as the shim was called, before links are followed; `code` is the file that runs. The answer is false while it can't be read. */
export function codeWatch(command: string | undefined, code: string): () => boolean {
  const now = (): readonly (string | null)[] => [
    command === undefined ? null : readable(() => realpathSync.native(command)),
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
