/**
 * Contract of every place where backends run. Two drivers: `local` (this machine; the embedded default) and `ssh` (ssh/host.ts). All work
 * on a person's apps goes through that person's supervisor; a host only starts it, dials sockets, and moves packages. Every call has a
 * deadline and rejects with a coded SvcError; none throws synchronously.
 */
import type { AccountClosed } from '../../schema/list-lines.ts';
import type { PackageSource } from '../../kit/repository/reading/source.ts';
import type { Duplex } from 'node:stream';
import type { CredentialState, OnEvent } from '../../schema/install-events.ts';
import type { ServerPlace } from '../../schema/server-paths.ts';
import type { RemoteShell, TerminalSize } from '../../schema/terminals.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { SvcError } from '../../schema/errors.ts';
import type { Words } from '../../schema/texts/reasons.ts';

export interface InstalledPackage {
  readonly app: string;
  readonly version: string;
  /** sha256 over names, modes and bytes of the package folder, hex. */
  readonly hash: string;
  /** The same hash over what was delivered, before installCommand added files; null when a file was changed since (drift). */
  readonly delivered: string | null;
  readonly scope: 'sistema' | 'pessoa';
  /** The version before, as long as it is kept for `rollBack`; null: none is. */
  readonly previous: string | null;
  readonly manifest: Manifest;
  /** Why the system refuses to read it now: the rest is as it was seen last. Absent while it can be read. */
  readonly unread?: string;
}

export interface InstallRun {
  readonly onEvent?: OnEvent;
  /** Aborted: the installer ends, and the call rejects CANCELLED. The earlier version stays. */
  readonly signal?: AbortSignal;
}

export interface InstalledEngine {
  readonly app: string;
  readonly nome: string;
  readonly versao: string;
  /** Bytes on disk; null when it holds too many files to count at each observation. */
  readonly bytes: number | null;
}

/** Facts of the server itself that matter to packages. */
export interface Inventory {
  /** Requirements (`a|b`), as given, of which no alternative is installed. */
  readonly missing: readonly string[];
  readonly engines: readonly InstalledEngine[];
  /** A physical GPU is there: engines with `quando: gpu` belong here. Source: rules 2.3. */
  readonly gpu: boolean;
}

/** A program that an account of the server runs. Words of `argv` as ssh/remote-command.ts takes them: all else goes over standard input. */
export interface HostRun {
  readonly argv: readonly string[];
  readonly stdin: string;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
  readonly msMax: number;
}

/** How it ended: `signal` when it was killed; the end of what it wrote to standard error. */
export interface HostRunEnd {
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: string;
}

export interface Host {
  readonly server: string;
  /** Home and prefix of an account; rejects NOT_FOUND when the account does not exist. */
  place(account: string): Promise<ServerPlace>;
  /** Connects to a unix socket on the server as the account. Ends are half-open-safe streams with noDelay semantics. */
  dial(account: string, socketPath: string): Promise<Duplex>;
  /** The path that node can connect to directly, or null when only `dial` reaches the socket (ssh). */
  directSocketPath(socketPath: string): string | null;
  /** File access as the account. Nothing is opened before the first call. */
  files(account: string): Promise<FileSystem>;
  /** Runs a program as the account, null: as who administers the server. Rejects SERVER_UNREACHABLE, TIMEOUT, CANCELLED; an exit code is no error. */
  run(account: string | null, run: HostRun): Promise<HostRunEnd>;
  /** A login shell of the account on a pty, in the folder; where the account may not go there, in its home, and it says so. Rejects NOT_FOUND, SERVER_UNREACHABLE, SSH_SATURATED. */
  shell(account: string, size: TerminalSize, folder: Uint8Array | null): Promise<RemoteShell>;
  /** Starts `svc-app-supervisor` detached as the account; resolves when its socket answers `hello`. */
  startSupervisor(account: string): Promise<void>;
  /**
   * Packages of the system scope and, with an account, its own too; an app may stand in both. `next`: accounts that will be asked for right
   * after this one, so that one observation of the server can serve them all.
   */
  installed(account: string | null, next?: readonly string[]): Promise<readonly InstalledPackage[]>;
  /** Accounts among these that an administrator locked or let expire. Cheap right after `installed`; unknown ones are not among them. */
  closed(accounts: readonly string[]): Promise<ReadonlyMap<string, AccountClosed>>;
  /** Bytes of a plain file of an installed package; null when there is none, or when a link leads out of the package. */
  packageFile(account: string, app: string, scope: 'sistema' | 'pessoa', file: string): Promise<Uint8Array | null>;
  /**
   * Puts the package in place atomically, replaces any version, and ends its instances (`svc-app-install --force`): resolves when they
   * ended.
   */
  install(source: PackageSource, scope: 'sistema' | 'pessoa', account: string | null, run?: InstallRun): Promise<InstalledPackage>;
  /** Gives a package of the whole server the engines that it lacks and removes those that it does not declare. */
  mendEngines(app: string, run?: InstallRun): Promise<void>;
  /** Changes with the engines and the Linux packages of the server; null when that is unknown. Cheap right after `installed`. */
  inventoryMark(): Promise<string | null>;
  /** Requirements as `requiredPackages` declares them. */
  inventory(requirements: readonly string[]): Promise<Inventory>;
  /** The version before is current again; rejects NO_PREVIOUS_VERSION. */
  rollBack(app: string, scope: 'sistema' | 'pessoa', account: string | null): Promise<void>;
  /** The current version answered: the one before may go. Rejects NOT_CONFIRMED when the server sees no instance that answers. */
  confirm(app: string, scope: 'sistema' | 'pessoa', account: string | null): Promise<void>;
  remove(app: string, scope: 'sistema' | 'pessoa', account: string | null): Promise<void>;
  /** The portal credential that the unit of a server-scope app starts with; the text is an order of kit/service/credential.ts. */
  credential(app: string, order: string): Promise<CredentialState>;
  /** Why what runs for the account runs as the account of the portal; null when it runs as its own. */
  asPortal(account: string): Promise<Words | null>;
  /** Whether somebody who is not connected yet would come in: null, or why not. Never rejects. Absent on the portal's own machine. */
  door?(): Promise<SvcError | null>;
  /** Calls back whenever what was seen of the server may hold no longer: a connection was lost. Never on the portal's own machine. */
  onDoubt(listener: () => void): void;
  close(): Promise<void>;
}
