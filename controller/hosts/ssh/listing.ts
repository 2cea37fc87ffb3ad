/**
 * An observation of a server: one run of `svc-app-list` lists its packages, the homes of accounts and people's own packages. Concurrent
 * callers share one run. Decision: docs/decisions/0085-one-look-one-command.md
 */
import { limits } from '../limits.ts';
import { SvcError } from '../../../schema/errors.ts';
import { sudoRefused } from '../sudo-refused.ts';
import type { AccountClosed, AccountClosedSaid, ListLine } from '../../../schema/list-lines.ts';
import { createClosedAccounts, type ClosedAccounts } from '../closed-accounts.ts';
import { same } from '../../../schema/texts/doctor.ts';
import { parseManifest } from '../../../schema/manifest/minimum.ts';
import type { Clock } from '../../../schema/clock.ts';
import type { HostRunEnd, InstalledPackage } from '../host.ts';
import { listError, readListLine } from './list-lines.ts';

export interface ServerObservation {
  /** Version of the kit that made the list. */
  readonly kit: string;
  readonly system: readonly InstalledPackage[];
  /** Changes when an engine comes or goes; null when the server did not say. */
  readonly engines: string | null;
  /** Accounts that are locked or expired. */
  readonly closed: ReadonlyMap<string, AccountClosed>;
  /** By account: its home, null when there is no such account, and its own packages. */
  readonly accounts: ReadonlyMap<string, { readonly home: string | null; readonly own: readonly InstalledPackage[] }>;
}

export interface Listing {
  /** An observation that covers all `accounts`; `fresh`: one that starts now. */
  observe(accounts: readonly string[], fresh: boolean): Promise<ServerObservation>;
  /**
   * Home of the account, null when there is no such account, and the version of the kit. From an observation of the last minute, unless the
   * account was missing in it: homes and kits rarely move.
   */
  whereabouts(account: string): Promise<{ readonly home: string | null; readonly kit: string }>;
  /** Something was installed or removed: results of observations that started before are not returned any more. */
  changed(): void;
}

export interface ListingOptions {
  readonly clock: Clock;
  /** Runs svc-app-list as root, with these lines on its standard input. */
  readonly run: (stdin: string, onLine: (line: string) => void) => Promise<HostRunEnd>;
  readonly onBadPackage: (folder: string, error: unknown) => void;
  /** The command that brings the kit of this portal there, or the person who does. */
  readonly kitFix: string;
  /** As whom it runs it. */
  readonly admin: string;
}

export function createListing(options: ListingOptions): Listing {
  const { clock } = options;
  const known: Known = { packages: new Map(), last: new Map(), closed: createClosedAccounts() };
  /** An account that was asked for once is in every later observation. */
  const everybody = new Set<string>();
  let last: { readonly observe: ServerObservation; readonly atMs: number } | null = null;
  let newest: { readonly observe: ServerObservation; readonly atMs: number } | null = null;
  let begun = 0;
  let running: Promise<ServerObservation> | null = null;
  let asked = new Set<string>();
  let changes = 0;

  const start = (): Promise<ServerObservation> => {
    begun += 1;
    const before = changes;
    const accounts = [...everybody];
    asked = new Set(accounts);
    running = read(options, known, accounts)
      .then((observe) => {
        newest = { observe, atMs: clock.monotonicMs() };
        // An install that ran during the observation may be missing in it: the result is not shared with other callers.
        if (before === changes) last = newest;
        return observe;
      })
      .finally(() => {
        running = null;
      });
    return running;
  };
  const observe: Listing['observe'] = async (accounts, fresh) => {
    for (const account of accounts) everybody.add(account);
    const isIn = (of: ServerObservation): boolean => accounts.every((account) => of.accounts.has(account));
    if (!fresh && last && clock.monotonicMs() - last.atMs < limits.systemListingMs && isIn(last.observe)) return last.observe;
    // A single observation at a time: a server that is slow to answer is not asked twice at once. An observation that began after the
    // question answers it.
    const before = begun;
    for (let other = running; other !== null; other = running) {
      if ((!fresh || begun > before) && accounts.every((account) => asked.has(account))) return await other;
      await other.catch(() => undefined);
    }
    return await start();
  };
  return {
    observe,
    whereabouts: async (account) => {
      const isRecent = newest !== null && clock.monotonicMs() - newest.atMs < limits.whereaboutsMs;
      const known = isRecent ? newest?.observe : undefined;
      const home = known?.accounts.get(account)?.home ?? null;
      if (known && home !== null) return { home, kit: known.kit };
      const now = await observe([account], false);
      return { home: now.accounts.get(account)?.home ?? null, kit: now.kit };
    },
    changed: () => {
      changes += 1;
      last = null;
    },
  };
}

interface Known {
  /** By `<account>/<app>`. */
  readonly packages: Map<string, { readonly text: string; readonly found: InstalledPackage }>;
  /** By account, '' for the system: what was there, and the stamp of that observation. */
  readonly last: Map<string, Kept>;
  readonly closed: ClosedAccounts;
}

interface Kept {
  /** Null: it is asked for whole. */
  readonly stamp: string | null;
  readonly found: readonly InstalledPackage[];
}

/** Results of a running observation so far; by account, '' for the system. */
interface Taken {
  readonly homes: Map<string, string | null>;
  readonly closed: Map<string, AccountClosedSaid>;
  readonly stamps: Map<string, string>;
  readonly same: Set<string>;
  readonly found: Map<string, InstalledPackage[]>;
  /** Apps that could not be read, or `all`, and why. */
  readonly unread: Map<string, Map<string, string>>;
  readonly flawed: Set<string>;
  engines: string | null;
  refused: SvcError | null;
  kit: string | null;
}

async function read(options: ListingOptions, known: Known, accounts: readonly string[]): Promise<ServerObservation> {
  const taken: Taken = {
    homes: new Map(),
    closed: new Map(),
    stamps: new Map(),
    same: new Set(),
    found: new Map(),
    unread: new Map(),
    flawed: new Set(),
    engines: null,
    refused: null,
    kit: null,
  };
  const stamps = ['', ...accounts].flatMap((name) => {
    const stamp = known.last.get(name)?.stamp ?? null;
    return stamp === null ? [] : [`=${name} ${stamp}\n`];
  });
  const result = await options.run([...accounts.map((account) => `${account}\n`), ...stamps].join(''), (text) => {
    const line = readListLine(text);
    if (line) take(options, known, taken, line);
  });
  if (taken.refused) throw taken.refused;
  if (taken.kit === null) throw notRun(result, options.kitFix, options.admin);
  const system = keep(known, taken, '');
  const own = new Map(accounts.map((name) => [name, { home: taken.homes.get(name) ?? null, own: keep(known, taken, name) }]));
  return { kit: taken.kit, engines: taken.engines, system, closed: known.closed(accounts, taken.closed), accounts: own };
}

function take(options: ListingOptions, known: Known, taken: Taken, line: ListLine): void {
  if (line.event === 'account') taken.homes.set(line.account, line.home);
  else if (line.event === 'closed') taken.closed.set(line.account, line.why);
  else if (line.event === 'error') taken.refused = listError(line);
  else if (line.event === 'end') taken.kit = line.version;
  else if (line.event === 'engines') taken.engines = line.stamp;
  else if (line.event === 'same') taken.same.add(line.account ?? '');
  else if (line.event === 'stamp') taken.stamps.set(line.account ?? '', line.stamp);
  else if (line.event === 'bad') {
    const name = line.account ?? '';
    options.onBadPackage(line.folder, new Error(line.message));
    taken.flawed.add(name);
    if (line.unread !== undefined)
      taken.unread.set(name, (taken.unread.get(name) ?? new Map<string, string>()).set(line.unread, line.message));
  } else if (line.event === 'package') {
    const name = line.account ?? '';
    const key = `${name}/${line.app}`;
    try {
      const found = taken.found.get(name) ?? [];
      taken.found.set(name, found);
      found.push(packageOf(known, key, line));
    } catch (error) {
      taken.flawed.add(name);
      options.onBadPackage(key, error);
    }
  }
}

/** Installed packages by the newest lines. Unreadable packages keep their last known state: "can't be read" is never "not there". */
function keep(known: Known, taken: Taken, name: string): readonly InstalledPackage[] {
  const last = known.last.get(name);
  if (last && taken.same.has(name)) return last.found;
  const unread = taken.unread.get(name);
  const lines = taken.found.get(name) ?? [];
  const names = new Set(lines.map(({ app }) => app));
  const kept = (last?.found ?? []).flatMap((one) => {
    const why = unread?.get(one.app) ?? unread?.get('all');
    return why === undefined || names.has(one.app) ? [] : [{ ...one, unread: why }];
  });
  const found = [...lines, ...kept];
  for (const { app } of last?.found ?? []) if (!found.some((one) => one.app === app)) known.packages.delete(`${name}/${app}`);
  // A package with a flaw is read whole again, so that its repair is seen and its cause reported.
  known.last.set(name, { stamp: taken.flawed.has(name) ? null : (taken.stamps.get(name) ?? null), found });
  return found;
}

/** The same object while it says the same, so that "nothing changed" is a comparison of references. */
function packageOf(known: Known, key: string, line: Extract<ListLine, { readonly event: 'package' }>): InstalledPackage {
  const { app, hash, delivered, previous, manifest: text, account } = line;
  const before = known.packages.get(key);
  const { found: last } = before ?? {};
  if (before?.text === text && last?.hash === hash && last.delivered === delivered && last.previous === previous) return last;
  const manifest = parseManifest(text);
  if (manifest.id !== app) throw new SvcError('PACKAGE_REFUSED', `the package ${app} calls itself ${JSON.stringify(manifest.id)}`);
  const scope = account === null ? 'sistema' : 'pessoa';
  const found: InstalledPackage = { app, version: manifest.version, hash, delivered, scope, previous, manifest };
  known.packages.set(key, { text, found });
  return found;
}

const lacksCommand = (said: string): boolean =>
  said.split('\n').some((line) => line.includes('sudo: ') && line.includes('command not found'));

/** 126 and 127 are the shell's: there is no such command, or it can't be run. `admin`: who ran it by sudo; null: nobody. */
export function notRun({ code, signal, said }: HostRunEnd, kitFix: string, admin: string | null, program = 'svc-app-list'): SvcError {
  const refused = admin === null ? null : sudoRefused(admin, said);
  if (refused !== null) return refused;
  if (code === 127 || code === 126 || (code === 1 && lacksCommand(said))) {
    return missingKit(`${program} is not on the server (${firstLine(said)})`, kitFix);
  }
  return new SvcError('SERVER_UNREACHABLE', `${program} ended with ${signal ?? code}: ${firstLine(said)}`);
}

export function missingKit(message: string, kitFix: string): SvcError {
  return new SvcError('KIT_MISSING', `${message}: ${kitFix}`, { fix: same(kitFix) });
}

export function firstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, 300);
}
