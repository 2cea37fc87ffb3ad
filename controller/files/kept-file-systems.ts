/** Keeps a FileSystem for each account, for as long as a host has it. */
import type { FileSystem } from './file-system.ts';

export interface KeptFileSystems<Account> {
  of(account: Account): Promise<FileSystem>;
  close(): Promise<void>;
}

/** `name`: one for each; an account that is another one under the same name gets a new one. */
export function keepFileSystems<Account>(
  name: (account: Account) => string,
  create: (account: Account) => FileSystem,
): KeptFileSystems<Account> {
  const kept = new Map<string, { readonly is: string; readonly fs: FileSystem }>();
  return {
    of: async (account) => {
      const is = JSON.stringify(account);
      const known = kept.get(name(account));
      if (known?.is === is) return known.fs;
      const fs = create(account);
      kept.set(name(account), { is, fs });
      await known?.fs.close();
      return fs;
    },
    close: async () => {
      for (const { fs } of kept.values()) await fs.close();
      kept.clear();
    },
  };
}
