/**
 * The kit of one server for the loop: what was observed of it, what is running, what failed. The acts take minutes on a slow line, so they
 * run beside the loop; one at a time per server, and after each the server is observed again.
 */
import { originsOf } from '../desired/restart.ts';
import type { KitFailure, ServerDesired, ServerObserved } from '../../reconcilers/server.ts';
import { causeOf } from '../../schema/cause.ts';
import { SvcError } from '../../schema/errors.ts';
import { keys } from '../../schema/keys.ts';
import { limits } from '../limits.ts';
import type { Context } from '../context.ts';
import { notObserved, type BackendEntry, type PersonEntry, type ServerEntry, type Entries } from '../entries.ts';
import { ageMs } from '../clock/age.ts';
import { same } from '../../schema/texts/doctor.ts';
import { clockOffMs, missingLine } from './checks.ts';
import type { ServerFacts } from '../hosts/server/facts.ts';
import { serverOfCluster } from '../jobs/sync-clusters.ts';
import { keysSeen, rivalMessage } from './rival.ts';
import { noWish, whyNoKit, type KitState, type KitWish } from '../hosts/server/kit-state.ts';
import { keysOf, takeWhenDone } from './ssh-key.ts';
import { noKeys } from '../hosts/server/ssh-keys.ts';

const wishName = (server: string): string => `server-kit/${server}`;

async function readWish({ options }: Context, server: ServerEntry): Promise<KitWish> {
  const text = await options.store.value(wishName(server.name));
  const { removed, held, pending } = text === null ? {} : (JSON.parse(text) as Partial<KitWish>);
  return { removed: removed === true, held: typeof held === 'string' ? held : null, pending: pending ?? null };
}

export async function writeWish(context: Context, server: ServerEntry, kit: KitState, wish: KitWish): Promise<void> {
  await context.options.store.putValue(wishName(server.name), JSON.stringify(wish));
  takeWish(context, server, kit, wish);
}

function takeWish({ entries, queue }: Context, server: ServerEntry, kit: KitState, wish: KitWish): void {
  kit.wish = wish;
  if (wish.removed === (kit.off !== null)) return;
  const message = `the server kit was taken off; svc server add ${server.name} brings it back`;
  kit.off = wish.removed ? { status: 'unreachable', message } : null;
  // An earlier observation proves nothing about a server whose kit was off meanwhile.
  if (!wish.removed) Object.assign(server, { seen: notObserved, observedAtMs: 0 });
  for (const person of entries.people.values()) {
    if (person.server !== server) continue;
    queue.add(keys.supervisor(person.name), false);
    for (const entry of person.backends.values()) queue.add(entry.key, false);
  }
}

/** Accounts of the people on that server, or on the way to it, in order. */
export function accountsOn({ entries }: Context, server: ServerEntry): readonly string[] {
  const here = [...entries.people.values()].filter(
    (person) => (person.server === server || person.moving?.to === server.name) && !person.leaving,
  );
  return [...new Set(here.map((person) => person.account))].sort();
}

type SeenAccount = Extract<KitState['observed'], { readonly status: 'seen' }>['accounts'][number];

const indexes = new WeakMap<readonly SeenAccount[], ReadonlyMap<string, SeenAccount>>();

/** Everybody is asked for at each resync: the list of an observation is sorted once. */
function byName(accounts: readonly SeenAccount[]): ReadonlyMap<string, SeenAccount> {
  const found = indexes.get(accounts) ?? new Map(accounts.map((account) => [account.name, account]));
  indexes.set(accounts, found);
  return found;
}

/** By the last observation as administrator; null without one, or when the account was missing in it. */
export function accountLasts({ server: { kit }, account }: PersonEntry): boolean | null {
  if (kit?.observed.status !== 'seen') return null;
  // Nothing there ends what an account left behind.
  if (kit.observed.systemd === false) return null;
  const seen = byName(kit.observed.accounts).get(account);
  return seen?.found === true ? seen.linger && seen.manager : null;
}

/** The last observation was before there was anybody with this account: whether it lets the portal in is not known. */
const isNew = ({ observed, lookedFor }: KitState, account: string): boolean => observed.status === 'seen' && !lookedFor.has(account);

/**
 * A person signed in: whether their apps will outlive the login is observed now, unless that was done a moment ago. The server's reconciler
 * repairs it.
 */
export function observeArrival({ options, queue }: Context, { server, account }: PersonEntry): void {
  const { kit } = server;
  const isRecent = kit !== null && ageMs(options.clock.nowMs(), kit.observedAtMs) < limits.kitArrivalPollMs;
  if (kit === null || (isRecent && !isNew(kit, account))) return;
  kit.observedAtMs = 0;
  queue.add(server.key, false);
}

/** Observes the server as its administrator, unless that was done recently. Never rejects: what can't be seen is unknown. */
export async function observeKit(context: Context, server: ServerEntry, now = false): Promise<void> {
  const { kit } = server;
  const { clock } = context.options;
  if (kit === null) return;
  if (kit.wish === null) takeWish(context, server, kit, await readWish(context, server));
  const isRecent = kit.observedAtMs !== 0 && ageMs(clock.nowMs(), kit.observedAtMs) < limits.kitPollMs;
  if (kit.work !== null || (!now && isRecent && !accountsOn(context, server).some((account) => isNew(kit, account)))) return;
  kit.observedAtMs = clock.nowMs();
  if (now) kit.admin.hurry();
  try {
    kit.keys = await keysOf(context, server);
    const beganMs = clock.monotonicMs();
    const beforeMs = clock.nowMs();
    const accounts = accountsOn(context, server);
    kit.lookedFor = new Set(accounts);
    const facts = await kit.admin.facts(accounts);
    kit.tookMs = clock.monotonicMs() - beganMs;
    kit.askedMs = [beforeMs, clock.nowMs()];
    const publicKey = await keyLookedFor(context, kit, facts);
    kit.trial = await tried(kit, facts, now);
    kit.facts = withTrial(facts, kit.trial);
    if (publicKey !== null) kit.keysInOrder = keysSeen(kit.keysInOrder, { facts, publicKey, nowMs: clock.nowMs() });
    kit.observed = {
      status: 'seen',
      id: kit.facts.kit,
      origins: facts.origins,
      key: publicKey === null || publicKey === facts.key,
      accounts: facts.accounts.map(({ name, found, linger, manager, key }) => ({
        name,
        found,
        linger,
        manager,
        key: publicKey === null || (key && publicKey === facts.key),
      })),
      systemd: facts.systemd !== null,
      ...clockWords(facts, kit),
      rival: rivalMessage(kit.keysInOrder),
    };
    await chooseKit(context, kit, facts.arch);
  } catch (error) {
    kit.facts = null;
    const { message } = error as Error;
    kit.observed = error instanceof SvcError ? { status: 'unknown', message, cause: causeOf(error) } : { status: 'unknown', message };
  }
}

/** While the key is being changed either of the two is in order. */
async function keyLookedFor(context: Context, { keys, admin }: KitState, facts: ServerFacts): Promise<string | null> {
  // A server may be gone for good: whether all have the key is asked at each observation.
  await takeWhenDone(context);
  const { opening } = keys;
  if (opening === null) return await admin.publicKey();
  return opening.next !== null && opening.next === facts.key ? opening.next : opening.key;
}

/** An observation that took longer than that says little about the clock. */
function clockWords(facts: ServerFacts, { askedMs, tookMs }: KitState): { readonly clock?: string } {
  const offMs = clockOffMs(facts.clockS, askedMs);
  if (Math.abs(offMs) <= limits.clockSkewMsMax || tookMs > limits.clockSkewMsMax) return {};
  return { clock: `its clock is ${Math.round(Math.abs(offMs) / 1_000)} s ${offMs > 0 ? 'ahead of' : 'behind'} the portal's` };
}

/** A fault of this installation's kits is reported as such: the server was observed. */
async function chooseKit(context: Context, kit: KitState, arch: string): Promise<void> {
  const { serverKit } = context.options;
  try {
    kit.wanted = serverKit === undefined ? null : await serverKit(arch);
    if (kit.failure?.message.startsWith(observationFailed) === true) kit.failure = null;
  } catch (error) {
    kit.wanted = null;
    kit.failure = failureOf(context, error, observationFailed);
  }
}

/**
 * Each command of the kit is started when somebody asks now, and once for each version that is found there: it costs the server a second of work,
 * too much for every minute. Between two trials what the last one found holds, unless something did not run: that may have been a busy server.
 */
async function tried({ admin, trial }: KitState, { kitAt, kitLacks }: ServerFacts, now: boolean): Promise<KitState['trial']> {
  if (kitAt === null || kitLacks.length > 0) return null;
  return trial?.id === kitAt && trial.lacks.length === 0 && !now ? trial : { id: kitAt, lacks: await admin.tryKit() };
}

function withTrial(facts: ServerFacts, trial: KitState['trial']): ServerFacts {
  return trial === null || trial.lacks.length === 0 ? facts : { ...facts, kit: null, kitLacks: trial.lacks };
}

const observationFailed = 'the kit of the portal: ';

function failureOf({ options }: Pick<Context, 'options'>, error: unknown, before = ''): KitFailure {
  const retry = error instanceof SvcError ? error.retry : 'transient';
  const { reason = null, fix = null } = error instanceof SvcError ? causeOf(error) : {};
  return { message: `${before}${(error as Error).message}`, reason, fix, retry, atMs: options.clock.nowMs() };
}

export function serverDesired(context: Context, server: ServerEntry): ServerDesired {
  const { kit } = server;
  const origins = originsOf(context.options, context.entries.portal);
  return {
    name: server.name,
    generation: server.placed.generation,
    leaving: server.leaving,
    lost: server.lost,
    drain: server.drain,
    kit: kit === null ? null : { id: kit.wanted?.id ?? null, ...(kit.wish ?? noWish), origins, newKey: kit.keys.wanted },
  };
}

export function serverObserved(entries: Entries, server: ServerEntry): ServerObserved {
  const { reachability: host, kit } = server;
  const drained = server.drain === null ? {} : { running: runningOn(entries, server).length };
  const common = { host, door: server.door, occupied: isOccupied(entries, server), ...drained };
  if (kit === null) return { ...common, kit: { status: 'unknown', message: '' }, busy: null, failure: null };
  return { ...common, kit: kit.observed, busy: kit.busy, failure: kit.failure };
}

/** Backends of people that live there or are wanted; those that can't be seen count as they were seen last. */
export function runningOn({ people }: Entries, server: ServerEntry): readonly BackendEntry[] {
  return [...people.values()].flatMap((person) => (person.server === server ? [...person.backends.values()].filter(isRunning) : []));
}

function isRunning({ person, app, memory }: BackendEntry): boolean {
  const snapshot = person.link.snapshot(app);
  if (snapshot !== null) return snapshot.wanted || snapshot.process !== null;
  const last = memory?.context.last?.state ?? 'stopped';
  return last !== 'stopped' && last !== 'failed';
}

export function isOccupied({ people, packages, clusters }: Entries, server: ServerEntry): boolean {
  for (const person of people.values()) if (person.server === server) return true;
  for (const { target } of packages.values()) if (target.server === server.name) return true;
  for (const { placed } of clusters.values()) if (serverOfCluster(placed.document) === server.name) return true;
  return false;
}

/** `kit`, `accounts` and `keys` are acts of the loop, too: their failures are in the conditions. Failures of the others go to the caller. */
type WorkKind = 'kit' | 'accounts' | 'keys' | 'rollback' | 'remove';
const isOfAccounts = (kind: WorkKind): boolean => kind === 'accounts' || kind === 'keys';

/** Does an act once the one that is under way has ended, however that ends. Rejects as this act does. */
export async function serverWork(
  context: Context,
  server: ServerEntry,
  kind: WorkKind,
  words: string,
  act: (kit: KitState, step: (step: string) => void) => Promise<void>,
): Promise<void> {
  const { kit } = server;
  if (kit === null) throw new SvcError('BAD_REQUEST', whyNoKit(server.placed.document));
  while (kit.work !== null) await kit.work.catch(() => undefined);
  kit.work = working(context, server, kit, kind, words, act);
  await kit.work;
}

async function working(
  { queue, options }: Context,
  server: ServerEntry,
  kit: KitState,
  kind: WorkKind,
  words: string,
  act: (kit: KitState, step: (step: string) => void) => Promise<void>,
): Promise<void> {
  const step = (name: string): void => {
    kit.busy = { act: isOfAccounts(kind) ? 'accounts' : 'kit', message: name === '' ? words : `${words}: ${name}` };
    queue.add(server.key, true);
  };
  // Accounts and keys leave the kit as it is, and what its trial found.
  if (!isOfAccounts(kind)) kit.trial = null;
  step('');
  try {
    await act(kit, step);
    kit.failure = null;
  } catch (error) {
    const failure = failureOf({ options }, error);
    if (kind === 'kit' || isOfAccounts(kind)) kit.failure = failure;
    options.log.warn({ key: server.key, error: failure.message }, 'work on the server kit failed');
    throw error;
  } finally {
    kit.busy = null;
    kit.work = null;
    kit.observedAtMs = 0;
    // The kit changed: packages and accounts are observed again.
    server.observedAtMs = 0;
    queue.add(server.key, true);
  }
}

export async function installKit(context: Context, server: ServerEntry, onStep: (step: string) => void = () => undefined): Promise<void> {
  const underWay = server.kit?.busy?.act === 'kit' ? server.kit.work : null;
  if (underWay !== null && (await isPutInPlace(server, underWay))) return await prepareAccounts(context, server, onStep);
  await serverWork(context, server, 'kit', 'the server kit is put in place', async (kit, step) => {
    refuseRemoved(server, kit);
    const { wanted } = kit;
    if (wanted === null) throw new SvcError('KIT_FAILED', `${server.name} did not tell what it is: no kit can be chosen`);
    const missing = kit.facts?.missing ?? [];
    if (missing.length > 0) throw new SvcError('KIT_FAILED', `${server.name} lacks ${missing.join(', ')}`, { fix: same(missingLine) });
    let isTried = false;
    await kit.admin.install(wanted, (name) => {
      isTried ||= name === 'try';
      step(name);
      onStep(name);
    });
    // The installation started each command before anything led to it.
    if (isTried) kit.trial = { id: wanted.id, lacks: [] };
  });
  await prepareAccounts(context, server, onStep);
}

/** The loop and an administrator may ask for the same kit at once: 55 MB are not sent a second time. */
async function isPutInPlace({ kit }: ServerEntry, underWay: Promise<void>): Promise<boolean> {
  const hasFailed = await underWay.then(
    () => false,
    () => true,
  );
  return !hasFailed && kit !== null && kit.trial !== null && kit.trial.id === kit.wanted?.id && kit.trial.lacks.length === 0;
}

export async function prepareAccounts(
  context: Context,
  server: ServerEntry,
  onStep: (step: string) => void = () => undefined,
): Promise<void> {
  await serverWork(context, server, 'accounts', 'its accounts are made ready', async (kit) => {
    refuseRemoved(server, kit);
    onStep('accounts');
    const origins = originsOf(context.options, context.entries.portal);
    const { opening } = context.options.sshKeys === undefined ? noKeys : await keysOf(context, server);
    const troubles = await kit.admin.prepareAccounts(origins, accountsOn(context, server), ...(opening === null ? [] : [opening]));
    // A missing account is a condition of its person, not a failure here: it is left out.
    if (troubles.length > 0) throw new SvcError('KIT_FAILED', troubles.join('; '));
  });
}

/** It waited for the act that took the kit off: nothing is put back. */
function refuseRemoved({ name }: ServerEntry, { wish }: KitState): void {
  if (wish?.removed === true) throw new SvcError('KIT_FAILED', `the server kit of ${name} was taken off meanwhile`);
}
