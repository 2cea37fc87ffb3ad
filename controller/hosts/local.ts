/**
 * Host driver `local` (design 5): this machine, as the account that runs the portal. The embedded default; with a `prefix` a
 * whole small server stands below one folder, people's homes included, which is what examples and tests use.
 */
import { mkdir, readdir } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../../schema/limits.ts';
import { SvcError } from '../../schema/errors.ts';
import type { InstallResult } from '../../schema/install-events.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { accountPattern, type Host, type InstalledPackage, type InstallRun, type PackageSource } from './host.ts';
import { startLocalSupervisor } from './local-supervisor.ts';
import { askInventory, runInstaller } from './local-installer.ts';
import { deliveredHash, hashPackage, previousVersion, readPackageFile, readPackageManifest, walkPackage } from './package-folder.ts';
import { dialSocket } from './unix-socket.ts';

export interface LocalHostOptions {
  readonly server: string;
  /** Absolute folder, or '' for the account's own home and /opt. */
  readonly prefix: string;
  /** Folder with svc-app-supervisor. */
  readonly binDir: string;
  readonly clock: Clock;
  /** Looks only: makes no home and mends nothing (`svc plan`). */
  readonly readOnly?: boolean;
  /** Packages that stand there but can't be read; the others are listed all the same. */
  readonly onBadPackage: (folder: string, error: unknown) => void;
}

export function createLocalHost(options: LocalHostOptions): Host {
  const { server, prefix, clock, binDir } = options;
  let system: readonly InstalledPackage[] | null = null;
  let systemAtMs = 0;
  let changes = 0;
  const changed = (): void => {
    changes += 1;
    system = null;
  };
  const place = (account: string): Promise<ServerPlace> => placeOf(options, account);
  const folders = createPackageFolders(options);
  const folderOf = async (scope: 'sistema' | 'pessoa', account: string | null): Promise<string> => {
    if (scope === 'sistema') return accountPaths({ home: '', prefix }).systemApps;
    if (account === null) throw new SvcError('BAD_REQUEST', 'scope pessoa needs the account');
    return accountPaths(await place(account)).personApps;
  };
  const systemPlace: ServerPlace = { home: prefix || os.homedir(), prefix };
  const installer: Installer = async (argv, scope, account, run = {}) => {
    const at = account === null ? systemPlace : await place(account);
    return await runInstaller({ binDir, argv: [...argv, `--${scope}`], place: at, clock, ...run });
  };
  return {
    server,
    place,
    dial: (_account, socketPath) => dialSocket(socketPath, clock),
    directSocketPath: (socketPath) => socketPath,
    startSupervisor: async (account) => startLocalSupervisor({ place: await place(account), account, binDir, clock }),
    installed: async (account) => {
      // A look at a server asks for the system first and then for each of its people: one listing serves them all.
      const isFresh = account !== null && system !== null && clock.monotonicMs() - systemAtMs < limits.systemListingMs;
      let listed = system ?? [];
      if (!isFresh) {
        const before = changes;
        listed = await folders.list(await folderOf('sistema', null), 'sistema');
        systemAtMs = clock.monotonicMs();
        // What was installed while we read may be missing here: nobody else is told so.
        system = before === changes ? listed : null;
      }
      return account === null ? listed : [...listed, ...(await folders.list(await folderOf('pessoa', account), 'pessoa'))];
    },
    packageFile: async (account, app, scope, file) => await readPackageFile(path.join(await folderOf(scope, account), app), file),
    install: async (source, scope, account, run) => {
      const done = await installer([...argvOf(source), '--force'], scope, account, run).finally(changed);
      const installed = await folders.read(await folderOf(scope, account), done.app, scope);
      if (installed === null) throw new SvcError('INTERNAL', `${done.app} vanished while it was installed`);
      return installed;
    },
    mendEngines: async (app, run) => {
      await installer([app], 'sistema', null, run);
    },
    inventory: (requirements) => askInventory({ binDir, argv: requirements, place: systemPlace, clock }),
    rollBack: async (app, scope, account) => {
      await installer(['--rollback', app], scope, account).finally(changed);
    },
    confirm: async (app, scope, account) => {
      await installer(['--confirm', app], scope, account).finally(changed);
    },
    remove: async (app, scope, account) => {
      await installer(['--remove', app, '--force'], scope, account).finally(changed);
    },
    onDoubt: () => undefined,
    close: async () => undefined,
  };
}

async function placeOf({ server, prefix, readOnly }: LocalHostOptions, account: string): Promise<ServerPlace> {
  if (!accountPattern.test(account)) throw new SvcError('NOT_FOUND', `${JSON.stringify(account)} can't be an account of ${server}`);
  if (prefix === '') return { home: os.homedir(), prefix };
  const home = `${prefix}/home/${account}`;
  if (readOnly !== true) await mkdir(home, { recursive: true, mode: 0o700 });
  return { home, prefix };
}

type Installer = (
  argv: readonly string[],
  scope: InstalledPackage['scope'],
  account: string | null,
  run?: InstallRun,
) => Promise<InstallResult>;

/** The words of `svc-app-install` for a source. */
function argvOf(source: PackageSource): readonly string[] {
  if (source.kind === 'folder') return [path.resolve(source.path)];
  if (source.kind === 'tarball') return [path.resolve(source.path), '--sha256', source.sha256];
  return [`${source.app}@${source.version}`, '--repository', source.repository, '--sha256', source.sha256];
}

interface PackageFolders {
  read(folder: string, app: string, scope: InstalledPackage['scope']): Promise<InstalledPackage | null>;
  list(folder: string, scope: InstalledPackage['scope']): Promise<readonly InstalledPackage[]>;
}

function createPackageFolders({ onBadPackage }: LocalHostOptions): PackageFolders {
  const known = new Map<string, { readonly mark: string; readonly found: InstalledPackage }>();
  const read: PackageFolders['read'] = async (folder, app, scope) => {
    const root = path.join(folder, app);
    const manifest = await readPackageManifest(root);
    if (manifest === null) return null;
    // The bytes of an unchanged one are not read again at each look.
    const walk = await walkPackage(root);
    const previous = await previousVersion(folder, app);
    const before = known.get(root);
    if (before?.mark === walk.mark && before.found.previous === previous) return before.found;
    if (manifest.id !== app) throw new SvcError('PACKAGE_REFUSED', `the package in ${root} calls itself ${JSON.stringify(manifest.id)}`);
    const hash = await hashPackage(root, walk);
    const delivered = await deliveredHash(root, hash);
    const found: InstalledPackage = { app, version: manifest.version, hash, delivered, scope, previous, manifest };
    known.set(root, { mark: walk.mark, found });
    return found;
  };
  const list: PackageFolders['list'] = async (folder, scope) => {
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [] as string[];
      throw error;
    });
    const found: InstalledPackage[] = [];
    for (const name of names.filter((one) => /^[a-z0-9-]+$/.test(one)).sort()) {
      try {
        const one = await read(folder, name, scope);
        if (one) found.push(one);
      } catch (error) {
        onBadPackage(path.join(folder, name), error);
      }
    }
    return found;
  };
  return { read, list };
}
