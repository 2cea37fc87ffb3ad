/**
 * A person's part of a `local` server: their home, the supervisor and sockets in it, and what they installed for themselves. Two ways: as
 * the account of the portal (here), and as an account of their own (account-people.ts).
 */
import { isAccountName } from '../../schema/account-name.ts';
import type { AccountClosed } from '../../schema/list-lines.ts';
import { chmod, mkdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { InstallResult } from '../../schema/install-events.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import type { RemoteShell, TerminalSize } from '../../schema/terminals.ts';
import type { Words } from '../../schema/texts/reasons.ts';
import type { PackageSource } from '../../kit/repository/reading/source.ts';
import type { FileSystem } from '../files/file-system.ts';
import { createAccountFileSystem } from '../files/account-files.ts';
import { keepFileSystems } from '../files/kept-file-systems.ts';
import type { HostRun, HostRunEnd, InstalledPackage, InstallRun } from './host.ts';
import { runProgram } from './local-run.ts';
import { startLocalShell } from './local-shell.ts';
import { startLocalSupervisor } from './local-supervisor.ts';
import { runInstaller, wordsOf } from './local-installer.ts';
import { isRoot } from './own-account.ts';
import { readPackageFile } from './package-folder.ts';
import { createPackageFolders } from './package-folders.ts';
import { dialSocket } from './unix-socket.ts';

export interface LocalHostOptions {
  readonly server: string;
  /** Absolute folder, or '' for homes of accounts and /opt. */
  readonly prefix: string;
  /** Folder with svc-app-supervisor. */
  readonly binDir: string;
  readonly clock: Clock;
  /** Observes only: makes no home and mends nothing (`svc plan`). */
  readonly readOnly?: boolean;
  /** Packages that are there and can't be read; the others are listed all the same. */
  readonly onBadPackage: (folder: string, error: unknown) => void;
}

/** The calls of host.ts, for the scope `pessoa`. */
export interface People {
  /** Reads ahead the accounts that will be asked for next. Accounts that it can't read are asked for again one by one; never rejects. */
  readonly ahead: (accounts: readonly string[]) => Promise<void>;
  readonly closed: (accounts: readonly string[]) => Promise<ReadonlyMap<string, AccountClosed>>;
  readonly place: (account: string) => Promise<ServerPlace>;
  readonly dial: (account: string, socketPath: string) => Promise<Duplex>;
  readonly directSocketPath: (socketPath: string) => string | null;
  readonly files: (account: string) => Promise<FileSystem>;
  readonly run: (account: string, run: HostRun) => Promise<HostRunEnd>;
  readonly shell: (account: string, size: TerminalSize, folder: Uint8Array | null) => Promise<RemoteShell>;
  readonly startSupervisor: (account: string) => Promise<void>;
  readonly list: (account: string) => Promise<readonly InstalledPackage[]>;
  readonly packageFile: (account: string, app: string, file: string) => Promise<Uint8Array | null>;
  /** `svc-app-install` with these words, behind those of the source if there is one. */
  readonly install: (account: string, source: PackageSource | null, words: readonly string[], run: InstallRun) => Promise<InstallResult>;
  readonly asPortal: (account: string) => Promise<Words | null>;
  readonly close: () => Promise<void>;
}

export function checkAccount(server: string, account: string): void {
  if (!isAccountName(account)) throw new SvcError('NOT_FOUND', `${JSON.stringify(account)} can't be an account of ${server}`);
}

/** Where homes are below a prefix. Under a portal that runs as root they may belong to other accounts. */
export async function makeHomes(prefix: string): Promise<void> {
  const homes = `${prefix}/home`;
  const isMade = (await mkdir(homes, { recursive: true, mode: isRoot() ? 0o755 : 0o700 })) !== undefined;
  // Independent of the umask.
  if (isMade && isRoot()) await chmod(homes, 0o755);
}

/** Makes the home with a single call when it is there already, which it nearly always is: everybody is asked for again and again. */
async function makeHome(prefix: string, home: string): Promise<void> {
  try {
    await mkdir(home, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    if (code !== 'ENOENT') throw error;
    await makeHomes(prefix);
    await mkdir(home, { recursive: true, mode: 0o700 });
  }
}

export function peopleOfPortal(options: LocalHostOptions): People {
  const { server, prefix, clock, binDir } = options;
  const folders = createPackageFolders(options.onBadPackage);
  // A file system for each person: a call that hangs for one holds up no other.
  const fileSystems = keepFileSystems(
    (account: string) => account,
    () => createAccountFileSystem(null, clock),
  );
  const place = async (account: string): Promise<ServerPlace> => {
    checkAccount(server, account);
    if (prefix === '') return { home: os.homedir(), prefix };
    const home = `${prefix}/home/${account}`;
    if (options.readOnly !== true) await makeHome(prefix, home);
    return { home, prefix };
  };
  const appsOf = async (account: string): Promise<string> => accountPaths(await place(account)).personApps;
  return {
    ahead: async () => undefined,
    closed: async () => new Map(),
    place,
    dial: (_account, socketPath) => dialSocket(socketPath, clock),
    directSocketPath: (socketPath) => socketPath,
    files: async (account) => {
      checkAccount(server, account);
      return await fileSystems.of(account);
    },
    run: async (account, run) => await runProgram({ ...run, home: (await place(account)).home, clock }),
    shell: async (account, size, folder) => await startLocalShell({ home: (await place(account)).home, size, folder }),
    startSupervisor: async (account) => startLocalSupervisor({ place: await place(account), account, binDir, clock }),
    list: async (account) => await folders.list(await appsOf(account), 'pessoa'),
    packageFile: async (account, app, file) => await readPackageFile(path.join(await appsOf(account), app), file),
    install: async (account, source, words, run) =>
      await runInstaller({ binDir, argv: [...wordsOf(source), ...words], place: await place(account), clock, ...run }),
    asPortal: async () => ({ pt: 'o portal não roda como root', en: 'the portal does not run as root' }),
    close: () => fileSystems.close(),
  };
}
