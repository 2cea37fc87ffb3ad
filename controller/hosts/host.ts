/**
 * One contract for every place where backends run (design 5). Two drivers: `local` (this account; the embedded default) and
 * `ssh` (issue 4). All work on a person's apps goes through that person's supervisor; a host only starts it, dials sockets,
 * and moves packages. Every call has a deadline and rejects with a coded SvcError; none throws synchronously.
 */
import type { Duplex } from 'node:stream';
import type { OnEvent } from '../../schema/install-events.ts';
import type { ServerPlace } from '../../schema/server-paths.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';

export interface InstalledPackage {
  readonly app: string;
  readonly version: string;
  /** sha256 over names, modes and bytes of the package folder, hex. */
  readonly hash: string;
  /** The same over what was delivered, before installCommand added to it; null when somebody changed a file since (drift). */
  readonly delivered: string | null;
  readonly scope: 'sistema' | 'pessoa';
  readonly manifest: Manifest;
}

export interface Host {
  readonly server: string;
  /** Home and prefix of an account; rejects NOT_FOUND when the account does not exist. */
  place(account: string): Promise<ServerPlace>;
  /** Connects to a unix socket on the server as the account. Ends are half-open-safe streams with noDelay semantics. */
  dial(account: string, socketPath: string): Promise<Duplex>;
  /** The path that node can connect to directly, or null when only `dial` reaches the socket (ssh). */
  directSocketPath(socketPath: string): string | null;
  /** Starts `svc-app-supervisor` detached as the account; resolves when its socket answers `hello`. */
  startSupervisor(account: string): Promise<void>;
  /** Packages of the system scope and, with an account, its own too; an app may stand in both. */
  installed(account: string | null): Promise<readonly InstalledPackage[]>;
  /**
   * Puts the package in place atomically, whatever version was there, and ends instances of it (`svc-app-install --force`).
   * `source` is a folder or a tarball on the portal's machine.
   */
  install(source: string, scope: 'sistema' | 'pessoa', account: string | null, onEvent?: OnEvent): Promise<InstalledPackage>;
  /** The version before is current again; rejects NO_PREVIOUS_VERSION. */
  rollBack(app: string, scope: 'sistema' | 'pessoa', account: string | null): Promise<void>;
  /** The current version answered: the one before may go. Rejects NOT_CONFIRMED when the server sees no instance that answers. */
  confirm(app: string, scope: 'sistema' | 'pessoa', account: string | null): Promise<void>;
  remove(app: string, scope: 'sistema' | 'pessoa', account: string | null): Promise<void>;
  close(): Promise<void>;
}
