/**
 * A look at a server: one run of `svc-app-list` tells its packages, the homes of accounts and what people installed for themselves.
 * Everybody who asks within a moment is served by the same look. Decision: docs/decisions/0085-one-look-one-command.md
 */
import { limits } from '../../../schema/limits.ts';
import { SvcError } from '../../../schema/errors.ts';
import type { ListLine } from '../../../schema/list-lines.ts';
import { parseManifest } from '../../../schema/manifest/minimum.ts';
import type { Clock } from '../../../schema/clock.ts';
import type { InstalledPackage } from '../host.ts';
import { listError, readListLine } from './list-lines.ts';
import type { RemoteResult } from './remote-run.ts';

export interface ServerLook {
  /** Version of the kit that looked. */
  readonly kit: string;
  readonly system: readonly InstalledPackage[];
  /** By account: its home, null when there is no such account, and its own packages. */
  readonly accounts: ReadonlyMap<string, { readonly home: string | null; readonly own: readonly InstalledPackage[] }>;
}

export interface Listing {
  /** A look that tells of all `accounts`; `fresh`: one that begins now. */
  look(accounts: readonly string[], fresh: boolean): Promise<ServerLook>;
  /**
   * Home of the account, null when there is no such account, and the version of the kit. From a look of the last minute, unless
   * that saw no such account: homes and kits don't move while somebody clicks.
   */
  whereabouts(account: string): Promise<{ readonly home: string | null; readonly kit: string }>;
  /** Something was installed or removed: nobody is told what a look before saw. */
  changed(): void;
}

export interface ListingOptions {
  readonly clock: Clock;
  /** Runs svc-app-list as root, with these lines on its standard input. */
  readonly run: (stdin: string, onLine: (line: string) => void) => Promise<RemoteResult>;
  readonly onBadPackage: (folder: string, error: unknown) => void;
}

export function createListing(options: ListingOptions): Listing {
  const { clock } = options;
  const known: Known = new Map();
  /** Whoever was asked for once is in every look. */
  const everybody = new Set<string>();
  let last: { readonly look: ServerLook; readonly atMs: number } | null = null;
  let newest: { readonly look: ServerLook; readonly atMs: number } | null = null;
  let begun = 0;
  let running: Promise<ServerLook> | null = null;
  let asked = new Set<string>();
  let changes = 0;

  const start = (): Promise<ServerLook> => {
    begun += 1;
    const before = changes;
    const accounts = [...everybody];
    asked = new Set(accounts);
    running = read(options, known, accounts)
      .then((look) => {
        newest = { look, atMs: clock.monotonicMs() };
        // What was installed while the server looked may be missing in it: nobody else is told so.
        if (before === changes) last = newest;
        return look;
      })
      .finally(() => {
        running = null;
      });
    return running;
  };
  const look: Listing['look'] = async (accounts, fresh) => {
    for (const account of accounts) everybody.add(account);
    const isIn = (of: ServerLook): boolean => accounts.every((account) => of.accounts.has(account));
    if (!fresh && last && clock.monotonicMs() - last.atMs < limits.systemListingMs && isIn(last.look)) return last.look;
    // One at a time: a server that is slow to answer is not asked twice at once. One that began after the question answers it.
    const before = begun;
    for (let other = running; other !== null; other = running) {
      if ((!fresh || begun > before) && accounts.every((account) => asked.has(account))) return await other;
      await other.catch(() => undefined);
    }
    return await start();
  };
  return {
    look,
    whereabouts: async (account) => {
      const isRecent = newest !== null && clock.monotonicMs() - newest.atMs < limits.packageLookMs;
      const known = isRecent ? newest?.look : undefined;
      const home = known?.accounts.get(account)?.home ?? null;
      if (known && home !== null) return { home, kit: known.kit };
      const now = await look([account], false);
      return { home: now.accounts.get(account)?.home ?? null, kit: now.kit };
    },
    changed: () => {
      changes += 1;
      last = null;
    },
  };
}

type Known = Map<string, { readonly text: string; readonly found: InstalledPackage }>;

async function read(options: ListingOptions, known: Known, accounts: readonly string[]): Promise<ServerLook> {
  const system: InstalledPackage[] = [];
  const homes = new Map<string, string | null>();
  const own = new Map<string, InstalledPackage[]>();
  const seen = new Set<string>();
  let refused: SvcError | null = null;
  let kit: string | null = null;
  const take = (line: ListLine): void => {
    if (line.event === 'account') homes.set(line.account, line.home);
    else if (line.event === 'bad') options.onBadPackage(line.folder, new Error(line.message));
    else if (line.event === 'error') refused = listError(line);
    else if (line.event === 'end') kit = line.version;
    else if (line.event === 'package') {
      const key = `${line.account ?? ''}/${line.app}`;
      seen.add(key);
      try {
        const found = packageOf(known, key, line);
        if (line.account === null) system.push(found);
        else own.set(line.account, [...(own.get(line.account) ?? []), found]);
      } catch (error) {
        options.onBadPackage(key, error);
      }
    }
  };
  const result = await options.run(accounts.map((account) => `${account}\n`).join(''), (text) => {
    const line = readListLine(text);
    if (line) take(line);
  });
  if (refused) throw refused;
  if (kit === null) throw notRun(result);
  for (const key of known.keys()) if (!seen.has(key)) known.delete(key);
  return { kit, system, accounts: new Map(accounts.map((name) => [name, { home: homes.get(name) ?? null, own: own.get(name) ?? [] }])) };
}

/** The same object while it says the same, so that "nothing changed" is a comparison of references. */
function packageOf(known: Known, key: string, line: Extract<ListLine, { readonly event: 'package' }>): InstalledPackage {
  const { app, hash, delivered, previous, manifest: text, account } = line;
  const before = known.get(key);
  const { found: last } = before ?? {};
  if (before?.text === text && last?.hash === hash && last.delivered === delivered && last.previous === previous) return last;
  const manifest = parseManifest(text);
  if (manifest.id !== app) throw new SvcError('PACKAGE_REFUSED', `the package ${app} calls itself ${JSON.stringify(manifest.id)}`);
  const scope = account === null ? 'sistema' : 'pessoa';
  const found: InstalledPackage = { app, version: manifest.version, hash, delivered, scope, previous, manifest };
  known.set(key, { text, found });
  return found;
}

/** 126 and 127 are the shell's: there is no such command, or it can't be run. */
export function notRun({ code, signal, said }: RemoteResult, program = 'svc-app-list'): SvcError {
  if (code === 127 || code === 126 || (code === 1 && /sudo: .*command not found/.test(said))) {
    return new SvcError('KIT_MISSING', `${program} is not on the server (${firstLine(said)}): svc server add puts the kit there`);
  }
  return new SvcError('SERVER_UNREACHABLE', `${program} ended with ${signal ?? code}: ${firstLine(said)}`);
}

function firstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, 300);
}
