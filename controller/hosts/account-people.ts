/**
 * People of a `local` server when the portal runs as root: everything in the home of a person with an account is done as that account, by a
 * door (account-door.ts) or by a command that became the account. People without one are served as the portal's account.
 * Decision: docs/decisions/0151-people-of-a-local-server.md
 */
import type { Account } from '../../schema/account-lookup.ts';
import { isAccountName } from '../../schema/account-name.ts';
import { createClosedAccounts } from './closed-accounts.ts';
import { closedAmong } from '../../schema/closed-accounts.ts';
import { lchown, lstat, mkdir } from 'node:fs/promises';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { accountPaths, type ServerPlace } from '../../schema/server-paths.ts';
import { createAccountFileSystem } from '../files/account-files.ts';
import { keepFileSystems } from '../files/kept-file-systems.ts';
import { createDoor, type Door } from './account-door.ts';
import type { PackageSource } from '../../kit/repository/reading/source.ts';
import type { InstalledPackage, InstallRun } from './host.ts';
import type { InstallResult } from '../../schema/install-events.ts';
import { becoming, runProgram } from './local-run.ts';
import { startLocalShell } from './local-shell.ts';
import { runInstaller, signedWords, wordsOf } from './local-installer.ts';
import { ownAccounts, type OwnAccount } from './own-account.ts';
import { isAbsent } from './package-folder.ts';
import { unread } from './package-folders.ts';
import { checkAccount, makeHomes, peopleOfPortal, type LocalHostOptions, type People } from './people.ts';
import type { PackedSource } from './ssh/host.ts';

export interface AccountPeopleOptions extends LocalHostOptions {
  /** As the Server document says it. */
  readonly specPrefix: string | undefined;
  /** Makes the one file that the account is given: it may not read the portal's packages. */
  readonly pack: (source: Exclude<PackageSource, { readonly kind: 'url' }>) => Promise<PackedSource>;
}

export function peopleByAccount(options: AccountPeopleOptions): People {
  const { binDir, clock, onBadPackage } = options;
  const portal = peopleOfPortal(options);
  const accounts = createAccounts(options);
  const closed = createClosedAccounts();
  const accountOf = async (name: string): Promise<Account | null> => {
    const own = await accounts.of(name);
    if (own.kind === 'gone') throw new SvcError('NOT_FOUND', own.message);
    return own.kind === 'account' ? own.account : null;
  };
  const doors = new Map<string, { readonly account: Account; readonly door: Door; readonly list: People['list'] }>();
  const fileSystems = keepFileSystems(
    ({ name }: Account) => name,
    (account) => createAccountFileSystem(account, clock),
  );
  const placeOf = ({ home }: Account): ServerPlace => ({ home, prefix: options.prefix });
  const doorOf = async (name: string) => {
    const account = await accountOf(name);
    if (account === null) return null;
    const known = doors.get(name);
    if (known && JSON.stringify(known.account) === JSON.stringify(account)) return known;
    void known?.door.close();
    const door = createDoor({ account, place: placeOf(account), binDir, clock, onBadPackage });
    const made = { account, door, list: patientList(options, door, accountPaths(placeOf(account)).personApps) };
    doors.set(name, made);
    return made;
  };
  return {
    ahead: accounts.ahead,
    closed: async (names) => closed(names, await closedAmong(names, clock.nowMs())),
    place: async (name) => {
      const account = await accountOf(name);
      return account === null ? await portal.place(name) : placeOf(account);
    },
    dial: async (name, socketPath) => await ((await doorOf(name))?.door.dial(socketPath) ?? portal.dial(name, socketPath)),
    directSocketPath: () => null,
    files: async (name) => {
      const account = await accountOf(name);
      return account === null ? await portal.files(name) : await fileSystems.of(account);
    },
    run: async (name, run) => {
      const account = await accountOf(name);
      return account === null ? await portal.run(name, run) : await runProgram({ ...run, home: account.home, become: account, clock });
    },
    shell: async (name, size, folder) => {
      const account = await accountOf(name);
      return account === null
        ? await portal.shell(name, size, folder)
        : await startLocalShell({ home: account.home, become: account, size, folder });
    },
    startSupervisor: async (name) => await ((await doorOf(name))?.door.startSupervisor() ?? portal.startSupervisor(name)),
    list: async (name) => await ((await doorOf(name))?.list(name) ?? portal.list(name)),
    packageFile: async (name, app, file) => await ((await doorOf(name))?.door.file(app, file) ?? portal.packageFile(name, app, file)),
    install: async (name, source, words, run) => {
      const account = await accountOf(name);
      if (account === null) return await portal.install(name, source, words, run);
      return await installFor(options, { account, place: placeOf(account) }, source, words, run);
    },
    asPortal: async (name) => {
      const own = await accounts.of(name);
      return own.kind === 'portal' ? own.why : null;
    },
    close: () => closeAll([...doors.values().map(({ door }) => door), fileSystems, portal]),
  };
}

async function installFor(
  { binDir, clock, pack }: AccountPeopleOptions,
  { account, place }: { readonly account: Account; readonly place: ServerPlace },
  source: PackageSource | null,
  words: readonly string[],
  run: InstallRun,
): Promise<InstallResult> {
  const common = { binDir, clock, become: becoming(account), place, ...run };
  if (source === null || source.kind === 'url') return await runInstaller({ ...common, argv: [...wordsOf(source), ...words] });
  const packed = await pack(source);
  try {
    const argv = ['-', '--bytes', String(packed.bytes), '--sha256', packed.sha256, ...signedWords(source), ...words];
    return await runInstaller({ ...common, argv, stdin: packed.read() });
  } finally {
    await packed.remove();
  }
}

async function closeAll(all: readonly { close(): Promise<void> }[]): Promise<void> {
  await Promise.all(all.map((each) => each.close()));
}

interface Accounts {
  readonly of: (name: string) => Promise<OwnAccount>;
  /** So many names at once: the system is asked in a few commands, not in one for each. */
  readonly ahead: (names: readonly string[]) => Promise<void>;
}

/**
 * Resolves a name to an account. A name that was an account is never served as root again; an account created while the portal runs is used
 * from its next start, because the person's apps run already.
 */
function createAccounts(options: AccountPeopleOptions): Accounts {
  const known = new Map<string, { readonly own: OwnAccount; readonly atMs: number }>();
  const { clock } = options;
  const recent = (name: string): OwnAccount | null => {
    const before = known.get(name);
    if (before?.own.kind === 'portal') return before.own;
    const isRecent = before?.own.kind === 'account' && clock.monotonicMs() - before.atMs < limits.whereaboutsMs;
    return isRecent ? before.own : null;
  };
  const take = async (name: string, now: OwnAccount): Promise<OwnAccount> => {
    const wasAccount = known.has(name);
    const own: OwnAccount =
      wasAccount && now.kind === 'portal' ? { kind: 'gone', message: `${now.why.en}; nothing of ${name} runs as root` } : now;
    if (own.kind === 'account' && options.readOnly !== true && options.specPrefix !== undefined) {
      await makeHomes(options.prefix);
      await makeHome(own.account);
    }
    known.set(name, { own, atMs: clock.monotonicMs() });
    return own;
  };
  return {
    of: async (name) => {
      checkAccount(options.server, name);
      return recent(name) ?? (await take(name, (await ownAccounts([name], options.specPrefix)).get(name) as OwnAccount));
    },
    ahead: async (names) => {
      const unknown = names.filter((name) => isAccountName(name) && recent(name) === null);
      // A single account is read when it is needed, and a fault of its home is reported then.
      if (unknown.length < 2) return;
      const found = await ownAccounts(unknown, options.specPrefix).catch(() => new Map<string, OwnAccount>());
      for (const [name, own] of found) if (recent(name) === null) await take(name, own).catch(() => undefined);
    },
  };
}

/**
 * Below a prefix. The parent folder belongs to root, so the name can't be exchanged; a run that was interrupted left it empty and owned by
 * root.
 */
async function makeHome({ uid, gid, home }: Account): Promise<void> {
  await mkdir(home, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  const found = await lstat(home).catch((error: unknown) => {
    if (isAbsent(error)) return null;
    throw error;
  });
  if (found?.isDirectory() === true && found.uid === 0) await lchown(home, uid, gid);
}

/**
 * Lists the packages without letting one person's slow process hold up the others: who does not answer in time keeps the list that was read
 * last. The same objects as long as the list is the same, so that "nothing changed" is a comparison of references.
 */
function patientList({ clock, onBadPackage }: AccountPeopleOptions, door: Door, folder: string): People['list'] {
  let last: readonly InstalledPackage[] = [];
  let running: Promise<readonly InstalledPackage[]> | null = null;
  const keep = (found: readonly InstalledPackage[]): readonly InstalledPackage[] => {
    last = found.map((one) => last.find((before) => JSON.stringify(before) === JSON.stringify(one)) ?? one);
    return last;
  };
  return async () => {
    running ??= door
      .list()
      .then(keep)
      .finally(() => (running = null));
    const slow = Promise.withResolvers<never>();
    const cancel = clock.at(clock.monotonicMs() + limits.doorListWaitMs, () =>
      slow.reject(new SvcError('TIMEOUT', `the content of ${folder} was not listed in time`)),
    );
    try {
      return await Promise.race([running, slow.promise]);
    } catch (error) {
      onBadPackage(folder, error);
      return last.map((one) => unread(one, error));
    } finally {
      cancel();
    }
  };
}
