/** How PackageMemory is read back. */
import { fields, number, orNull, since, text, type MemoryShape } from './memory.ts';
import type { PackageMemory } from './package-types.ts';

export const packageMemory: MemoryShape<PackageMemory> = {
  version: 1,
  read: fields<PackageMemory>({
    attempts: number,
    nextAttemptAtMs: number,
    attempted: orNull(text),
    seen: orNull(text),
    before: orNull(text),
    driftSinceMs: orNull(number),
    repairs: number,
    repairedAtMs: number,
    endingSinceMs: orNull(number),
    confirmAtMs: number,
    since,
  }),
};
