/** Only fresh descriptors reach a backend (rules 3.1 step 7). */
import { closeSync, readFileSync, readdirSync } from 'node:fs';

/** Descriptors that a careless parent left open would live on in the backend: ours are closed at exec, these are not. */
export function closeInheritedDescriptors(): void {
  for (const name of readdirSync('/proc/self/fd')) {
    const fd = Number(name);
    if (fd <= 2) continue;
    try {
      const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1] ?? '0';
      if ((Number.parseInt(flags, 8) & 0o2000000) === 0) closeSync(fd);
    } catch {
      // Closed in the meantime: the one that listed the folder.
    }
  }
}
