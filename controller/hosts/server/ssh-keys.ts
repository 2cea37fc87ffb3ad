/** The portal's own ssh key, as the controller is given it, and what of it a server is to have. ssh-key.ts changes it. */
import type { ServerDocument } from '../../../schema/desired/documents.ts';
import type { SvcError } from '../../../schema/errors.ts';

export interface KeyStanding {
  /** `TYPE KEY`, as the next ones. */
  readonly current: string;
  readonly madeAtMs: number;
  /** Null: no change is under way. */
  readonly next: string | null;
}

export interface SshKeys {
  /** Null: the portal has no key yet. */
  standing(): Promise<KeyStanding | null>;
  /** A private key and its `TYPE KEY`; nothing is kept of it. */
  draw(): { readonly privateKey: string; readonly publicKey: string };
  /** From now on it is the next one, unless there is one; answers which is. */
  put(privateKey: string): Promise<string>;
  /** The next one is the current one. */
  take(): Promise<void>;
  /** Whether the account lets the portal in with that key alone; null: it does. */
  refuses(server: ServerDocument, account: string, which: 'current' | 'next'): Promise<SvcError | null>;
}

export interface ServerKeys {
  /** The next key, where this server is to get it and has not yet. */
  readonly wanted: string | null;
  /** The keys that its accounts are to let in meanwhile. */
  readonly opening: { readonly key: string; readonly next: string | null } | null;
}

export const noKeys: ServerKeys = { wanted: null, opening: null };
