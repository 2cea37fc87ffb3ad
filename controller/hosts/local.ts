/**
 * Host driver `local`: this machine. The system's work is done as the portal's account; a person's as well (people.ts), or as an account of
 * that person (account-people.ts). With a `prefix` a whole small server lives below one folder, home folders included: examples and tests
 * use that.
 */
import { lstat, mkdir, readdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { limits } from './limits.ts';
import { SvcError } from '../../schema/errors.ts';
import type { InstallResult } from '../../schema/install-events.ts';
import { accountPaths, dpkgStatusFile, type ServerPlace } from '../../schema/server-paths.ts';
import type { PackageSource } from '../../kit/repository/reading/source.ts';
import type { Host, InstalledPackage, InstallRun } from './host.ts';
import { runProgram } from './local-run.ts';
import { askCredential, askInventory, runInstaller, wordsOf } from './local-installer.ts';
import { isAbsent, readPackageFile } from './package-folder.ts';
import { createPackageFolders } from './package-folders.ts';
import { isRoot } from './own-account.ts';
import { peopleOfPortal, type LocalHostOptions, type People } from './people.ts';

/** Where what is for everybody goes. Throws where the portal may not write there. Decision: docs/decisions/0365-everybody-without-root.md */
async function shared(server: string, place: ServerPlace): Promise<ServerPlace> {
  if (isRoot()) return place;
  const { prefix } = place;
  if (prefix === '')
    throw new SvcError(
      'SCOPE_REFUSED',
      `a portal that is not root installs nothing into /opt: say instalacao: pessoa, and for whom, in the Package document; or local: { prefix: ${server} } in the Server document, which keeps apps and homes in its state folder`,
    );
  const uid = process.getuid?.();
  await mkdir(prefix, { recursive: true }).catch((error: Error) => {
    throw new SvcError(
      'FILES_UNREADABLE',
      `${prefix} can't be made: ${error.message}; make it for the portal: install -d -o ${uid} ${prefix}`,
    );
  });
  const found = await stat(prefix);
  if (found.uid === uid) return place;
  throw new SvcError(
    'FILES_UNREADABLE',
    `${prefix} belongs to the uid ${found.uid}, and the portal runs as the uid ${uid}: chown -R ${uid} ${prefix}`,
  );
}

function installerOf({ server, binDir, clock }: LocalHostOptions, people: People, systemPlace: ServerPlace): Installer {
  return async (words, scope, account, { source = null, ...run } = {}) => {
    if (scope === 'pessoa') return await people.install(personOf(account), source, [...words, '--pessoa'], run);
    const place = await shared(server, systemPlace);
    return await runInstaller({ binDir, argv: [...wordsOf(source), ...words, '--sistema'], place, clock, ...run });
  };
}

export function createLocalHost(options: LocalHostOptions, people: People = peopleOfPortal(options)): Host {
  const { server, prefix, clock, binDir } = options;
  const folders = createPackageFolders(options.onBadPackage);
  const systemPlace: ServerPlace = { home: prefix || os.homedir(), prefix };
  const { systemApps } = accountPaths(systemPlace);
  let system: readonly InstalledPackage[] | null = null;
  let [systemAtMs, changes] = [0, 0];
  const installer = installerOf(options, people, systemPlace);
  const change: Installer = async (...order) => {
    try {
      return await installer(...order);
    } finally {
      changes += 1;
      system = null;
    }
  };
  return {
    server,
    place: people.place,
    dial: people.dial,
    directSocketPath: people.directSocketPath,
    files: people.files,
    shell: people.shell,
    run: async (account, run) =>
      account === null ? await runProgram({ ...run, home: systemPlace.home, clock }) : await people.run(account, run),
    startSupervisor: people.startSupervisor,
    asPortal: people.asPortal,
    closed: people.closed,
    installed: async (account, next = []) => {
      await people.ahead(next);
      // An observation of a server asks for the system and then for each person: one listing serves all.
      const isFresh = account !== null && system !== null && clock.monotonicMs() - systemAtMs < limits.systemListingMs;
      let listed = system ?? [];
      if (!isFresh) {
        const before = changes;
        listed = await folders.list(systemApps, 'sistema');
        systemAtMs = clock.monotonicMs();
        // An install that ran while this was read may be missing here: this result is not shared with other callers.
        system = before === changes ? listed : null;
      }
      return account === null ? listed : [...listed, ...(await people.list(account))];
    },
    packageFile: async (account, app, scope, file) =>
      scope === 'sistema' ? await readPackageFile(path.join(systemApps, app), file) : await people.packageFile(account, app, file),
    install: async (source, scope, account, run = {}) => {
      const { app } = await change(['--force'], scope, account, { ...run, source });
      const found = scope === 'sistema' ? [await folders.read(systemApps, app, scope)] : await people.list(personOf(account));
      const installed = found.find((one) => one?.app === app);
      if (!installed) throw new SvcError('INTERNAL', `${app} vanished while it was installed`);
      return installed;
    },
    mendEngines: async (app, run) => void (await installer([app], 'sistema', null, run)),
    inventoryMark: () => inventoryMark(accountPaths(systemPlace).engines),
    inventory: (requirements) => askInventory({ binDir, argv: requirements, place: systemPlace, clock }),
    rollBack: async (app, scope, account) => {
      await change(['--rollback', app], scope, account);
    },
    confirm: async (app, scope, account) => {
      await change(['--confirm', app], scope, account);
    },
    remove: async (app, scope, account) => {
      await change(['--remove', app, '--force'], scope, account);
    },
    credential: async (app, order) =>
      await askCredential({ binDir, argv: ['--credential', app], place: systemPlace, clock, stdin: Readable.from([Buffer.from(order)]) }),
    onDoubt: () => undefined,
    close: people.close,
  };
}

function personOf(account: string | null): string {
  if (account === null) throw new SvcError('BAD_REQUEST', 'scope pessoa needs the account');
  return account;
}

type Installer = (
  words: readonly string[],
  scope: InstalledPackage['scope'],
  account: string | null,
  run?: InstallRun & { readonly source?: PackageSource },
) => Promise<InstallResult>;

/** Changes with the Linux packages, and when an engine is added or removed, or a file in one changes. */
async function inventoryMark(root: string): Promise<string> {
  const dpkg = await lstat(dpkgStatusFile).catch(() => null);
  const marks = [`${dpkg?.ino} ${dpkg?.ctimeMs}`];
  const foldersIn = async (folder: string): Promise<readonly string[]> => {
    const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
      if (isAbsent(error)) return [];
      throw error;
    });
    return entries.flatMap((entry) => (entry.isDirectory() ? [path.join(folder, entry.name)] : [])).sort();
  };
  for (const app of await foldersIn(root)) {
    for (const engine of await foldersIn(app)) {
      for (const version of await foldersIn(engine)) {
        const files = (await readdir(version, { recursive: true }).catch(() => [])).slice(0, limits.engineFilesMax);
        for (const name of ['', ...files]) {
          const found = await lstat(path.join(version, name)).catch(() => null);
          marks.push(`${version} ${name} ${found?.ino} ${found?.ctimeMs}`);
        }
      }
    }
  }
  return marks.join('\n');
}
