/**
 * Host driver `local` (design 5): this machine, as the account that runs the portal. The embedded default; with a `prefix` a
 * whole small server stands below one folder, people's homes included, which is what examples and tests use.
 */
import { mkdir, readdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../../schema/limits.ts';
import { SvcError } from '../../schema/errors.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import type { Host, InstalledPackage } from './host.ts';
import { startLocalSupervisor } from './local-supervisor.ts';
import { hashPackage, installFolder, readPackageManifest, recoverSwaps, removeFolder } from './package-folder.ts';
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

const accountPattern = /^[a-z_][a-z0-9_-]{0,31}$/;

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
    install: async (source, scope, account) => {
      const manifest = await readPackageManifest(source);
      if (manifest === null) throw new SvcError('PACKAGE_SOURCE_MISSING', `${source} holds no svc-app.json`);
      const folder = await folderOf(scope, account);
      await folders.recover(folder);
      await installFolder(source, folder, manifest.id);
      changed();
      const installed = await folders.read(folder, manifest.id, scope);
      if (installed === null) throw new SvcError('INTERNAL', `${manifest.id} vanished while it was installed`);
      return installed;
    },
    remove: async (app, scope, account) => {
      const folder = await folderOf(scope, account);
      await folders.recover(folder);
      await removeFolder(folder, app);
      changed();
    },
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

interface PackageFolders {
  /** Ends what an earlier run left half done; once per folder and run. */
  recover(folder: string): Promise<void>;
  read(folder: string, app: string, scope: InstalledPackage['scope']): Promise<InstalledPackage | null>;
  list(folder: string, scope: InstalledPackage['scope']): Promise<readonly InstalledPackage[]>;
}

function createPackageFolders({ onBadPackage, readOnly }: LocalHostOptions): PackageFolders {
  const recovered = new Map<string, Promise<void>>();
  const known = new Map<string, { readonly mark: string; readonly found: InstalledPackage }>();
  const recover = (folder: string): Promise<void> => {
    const found = recovered.get(folder) ?? (readOnly === true ? Promise.resolve() : recoverSwaps(folder));
    recovered.set(folder, found);
    return found;
  };
  const read: PackageFolders['read'] = async (folder, app, scope) => {
    const root = path.join(folder, app);
    const mark = await markOf(root);
    if (mark === null) return null;
    const before = known.get(root);
    if (before?.mark === mark) return before.found;
    const manifest = await readPackageManifest(root);
    if (manifest === null) return null;
    if (manifest.id !== app) throw new SvcError('PACKAGE_REFUSED', `the package in ${root} calls itself ${JSON.stringify(manifest.id)}`);
    const found: InstalledPackage = { app, version: manifest.version, hash: await hashPackage(root), scope, manifest };
    known.set(root, { mark, found });
    return found;
  };
  const list: PackageFolders['list'] = async (folder, scope) => {
    await recover(folder);
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
  return { recover, read, list };
}

/** A swap makes another folder: the bytes of an unchanged one are not read again at each look. null when nothing stands there. */
async function markOf(root: string): Promise<string | null> {
  try {
    const [dir, file] = await Promise.all([stat(root), stat(path.join(root, 'svc-app.json'))]);
    return `${dir.ino}:${dir.ctimeMs}:${file.ino}:${file.ctimeMs}`;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
