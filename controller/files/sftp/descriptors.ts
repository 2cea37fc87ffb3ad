/**
 * Finds which descriptor of the server's process a handle is. Nothing in the protocol says so, but OpenSSH's server does one request after
 * the other, answers in that order, and the kernel gives each new handle the lowest free number. Its target is always compared afterwards
 * (held.ts): a server that counts otherwise refuses, and leads nowhere else.
 */
export interface Descriptors {
  /** Sets the descriptors that are open from the start; before that nothing is counted. */
  begin(open: Iterable<number>): void;
  opened(handle: Buffer): void;
  closed(handle: Buffer): void;
  /** Null: not known. */
  of(handle: Buffer): number | null;
}

export function createDescriptors(): Descriptors {
  let used: Set<number> | null = null;
  const byHandle = new Map<string, number>();
  return {
    begin: (open) => {
      used = new Set(open);
    },
    opened: (handle) => {
      if (used === null) return;
      let free = 0;
      while (used.has(free)) free += 1;
      used.add(free);
      byHandle.set(handle.toString('latin1'), free);
    },
    closed: (handle) => {
      const descriptor = byHandle.get(handle.toString('latin1'));
      if (descriptor === undefined) return;
      used?.delete(descriptor);
      byHandle.delete(handle.toString('latin1'));
    },
    of: (handle) => byHandle.get(handle.toString('latin1')) ?? null,
  };
}
