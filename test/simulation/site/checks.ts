/** Invariants of each order, and of a site once nothing goes wrong any more. A violation names the seed, the time and the object. */
import type { StopReason } from '../../../schema/reasons/derived.ts';
import { allKinds } from '../../../controller/kinds/all.ts';
import { entryOf } from '../../../controller/loop/reconcile.ts';
import { keys, kindOf } from '../../../schema/keys.ts';
import { closePolicy } from '../../../schema/manifest/manifest.ts';
import type { Intent } from '../../../store/store.ts';
import { checkConverged, checkForgotten } from '../invariants.ts';
import { nameOf } from '../leaving-model.ts';
import { violate, type AppModel, type Installed, type PersonModel, type ServerModel } from '../world.ts';
import { doubleOf, isCalm, packageName, servedMs, type Site, type Wished } from './site.ts';

interface Order {
  readonly op: string;
  readonly requestId?: string;
  readonly reason?: StopReason;
}

const kinds = new Map(allKinds.map((kind) => [kind.name, kind]));

/** An order may have been on its way while the world changed. */
const wayMs = 8_000;
const minuteMs = 60_000;
/** Orders that change one app, a minute, over those that people gave. */
const ordersAMinuteMax = 12;

/** A supervisor gets an order. */
export function checkOrder(site: Site, app: AppModel, { op, requestId = '', reason }: Order): void {
  const { world } = site;
  const nowMs = world.clock.monotonicMs();
  const before = (site.orders.get(app) ?? []).filter((atMs) => nowMs - atMs < minuteMs);
  site.orders.set(app, [...before, nowMs]);
  const asked = [...site.wishes.values()].filter((one) => one.app === app && nowMs - one.atMs < 2 * minuteMs).length;
  if (before.length > ordersAMinuteMax + 3 * asked)
    violate(world, `${app.key} got ${before.length} orders in a minute, people gave ${asked}`);
  if (op === 'start' || op === 'stop') checkPromptness(site, app, op, requestId);
  if (op !== 'stop') return;
  const wished = [...site.wishes].find(([id]) => requestId.startsWith(id))?.[1];
  if (
    (reason === 'StoppedByPerson' || reason === 'StoppedByAdmin') &&
    (wished === undefined || wished.app !== app || wished.wish === 'start')
  )
    violate(world, `${app.key} is ordered to stop (${reason}, ${requestId}) and nobody asked for that`);
  if (reason === 'LastWindowClosed') checkWindows(site, app);
  if (reason === 'PersonRemoved' && site.doubles.get(app.person) === 'written')
    violate(world, `${app.key} is ordered to stop (${reason}) and its account has only another name`);
  if (reason === 'PersonRemoved' && app.person.document === 'written' && world.clock.monotonicMs() - changedAtMs(site) > wayMs)
    violate(world, `${app.key} is ordered to stop (${reason}) and its person stays`);
  if (reason === 'PinnedStopped' && app.document !== 'desligado' && world.clock.monotonicMs() - changedAtMs(site) > wayMs)
    violate(world, `${app.key} is ordered to stop (${reason}) without such a document`);
}

const changedAtMs = (site: Site): number => site.folderChangedAtMs;

/** Time that an order may take from the api to the supervisor while nothing else happens. */
const promptMsMax = 5_000;

function checkPromptness(site: Site, app: AppModel, op: 'start' | 'stop', requestId: string): void {
  const { world } = site;
  const asked = site.wishes.get(requestId);
  // A restart waits for a process to end, which may ignore what it is told.
  if (asked?.app !== app || asked.wish !== op || asked.by === 'service') return;
  const nowMs = world.clock.monotonicMs();
  const isQuiet = isCalm(site) && nowMs - Math.max(site.faultAtMs, site.servesSinceMs) > 3 * minuteMs && app.person.supervisor !== null;
  if (isQuiet && nowMs - asked.atMs > promptMsMax)
    violate(world, `${app.key}: a ${op} took ${Math.round(nowMs - asked.atMs)} ms to the supervisor`);
}

/** Nothing is wrong for a person, nor was since then. */
function isFair(site: Site, { server, document }: PersonModel, sinceMs: number): boolean {
  const { weather, world } = site;
  const isSteady = isCalm(site) && weather.storeRefusesUntilMs < sinceMs && site.servesSinceMs < sinceMs - 15_000;
  return isSteady && server.reachable && document === 'written' && world.clock.monotonicMs() - site.folderChangedAtMs > 2 * minuteMs;
}

function newestWish(site: Site, app: AppModel): [string, Wished] | undefined {
  return [...site.wishes].findLast(([, one]) => one.app === app);
}

function checkWindows(site: Site, app: AppModel): void {
  const { world } = site;
  const { open } = app.windows;
  const closedMs = site.closedAtMs.get(app) ?? Infinity;
  if (open > 0 && world.clock.monotonicMs() - closedMs > wayMs)
    violate(world, `${app.key} is ordered to stop (LastWindowClosed) with ${open} windows open`);
  const wish = newestWish(site, app)?.[1];
  // A portal that begins counts what it was not told of as closed then.
  const countedMs = Math.max(closedMs, site.servesSinceMs);
  if (wish !== undefined && wish.wish !== 'stop' && wish.atMs > countedMs + wayMs && site.clockSetAtMs < closedMs)
    violate(world, `${app.key} is ordered to stop (LastWindowClosed), and was started after they closed`);
}

/** The portal writes down that an order is carried out. */
export function checkFinished(site: Site, app: AppModel, requestId: string, before: Intent | null, after: Intent | null): void {
  const { world } = site;
  if (after?.requestId !== requestId && after?.done === true && before?.done === false)
    violate(world, `${app.key}: ${requestId} is over, and ${after.requestId} counts as done with it`);
  const wish = site.wishes.get(requestId)?.wish;
  const decision = site.portal?.serving?.controller.context.entries.backends.get(app.key)?.decision;
  if (before?.requestId !== requestId || wish === undefined || decision?.finishedIntent !== requestId) return;
  if (decision.outcome === 'done' && wish !== 'stop' && !app.startsTaken.has(requestId))
    violate(world, `${app.key}: ${wish} ${requestId} is done and nobody took it`);
  const isFair =
    app.installed.present &&
    app.installed.document === 'written' &&
    app.person.document === 'written' &&
    world.clock.monotonicMs() - site.folderChangedAtMs > wayMs;
  if (decision.outcome === 'refused' && wish !== 'stop' && isFair && app.document !== 'desligado')
    violate(world, `${app.key}: ${wish} ${requestId} is refused (${decision.reason}) without cause`);
}

/** A supervisor is told to end: nothing of the account runs. */
export function checkQuit({ world }: Site, person: PersonModel): void {
  for (const app of person.apps)
    if (app.env !== null) violate(world, `the supervisor of ${person.name} is told to end, and ${app.key} lives`);
}

const ownEnds: ReadonlySet<string> = new Set(['Idle', 'LastWindowClosed']);

/** A while after an order of a person, when nothing went wrong and nobody asked for anything else. */
export function checkCarriedOut(site: Site, app: AppModel, requestId: string): void {
  const [id, wish] = newestWish(site, app) ?? [];
  if (id !== requestId || wish === undefined || wish.by === 'service') return;
  const { installed, document, env, supervision } = app;
  const isLate = site.faultAtMs < wish.atMs - minuteMs && isFair(site, app.person, wish.atMs);
  if (!isLate || document !== null || installed.document !== 'written' || !installed.present) return;
  if (wish.wish === 'stop' && env !== null && installed.manifest.kind !== 'service')
    violate(site.world, `${app.key} was stopped half a minute ago with everything in order, and lives`);
  if (wish.wish !== 'stop' && env === null && supervision.state !== 'failed' && !ownEnds.has(supervision.reason))
    violate(site.world, `${app.key} was started half a minute ago with everything in order, and is not wanted (${supervision.reason})`);
}

/** A server that was away for a minute is told as such, and its apps as unknown. */
export function checkAway(site: Site, server: ServerModel): void {
  const { world, portal } = site;
  const { entries } = portal!.serving!.controller.context;
  const status = entries.servers.get(server.name)?.reachability.status;
  if (status === 'reachable') violate(world, `${server.name} is away for a minute and told as reachable`);
  for (const app of server.people.flatMap(({ apps }) => apps)) {
    if (app.env === null || app.person.document !== 'written' || app.installed.document !== 'written') continue;
    // A portal that began meanwhile knows of the app, and of none of its files.
    const shown = portal!.serving!.gateway.apps.find(app.person.name, app.id)?.status ?? entries.backends.get(app.key)?.decision?.state;
    if (shown !== 'unknown') violate(world, `${app.key} lives on a server that is away, and is shown ${shown ?? 'not at all'}`);
  }
}

/** The installer takes the code away: its instances were ended first, unless they did not end or nobody sees them. */
export function checkRemoved(site: Site, installed: Installed): void {
  // It may have been written again while the order was on its way.
  if (installed.document === 'written' && site.world.clock.monotonicMs() - changedAtMs(site) > wayMs)
    violate(site.world, `${nameOf(installed)} is removed and did not leave`);
}

/** Apps whose package went are no objects once they ended and nobody waits for anything of them. */
export async function checkGone(site: Site, { server, manifest, document, present }: Installed): Promise<void> {
  const { world, portal } = site;
  const nowMs = world.clock.monotonicMs();
  const isSteady = servedMs(site) > 30_000 && server.reachable;
  if (document === 'written' || present || !isSteady || nowMs - site.folderChangedAtMs < 30_000) return;
  const intents = await site.store.intents();
  const { entries } = portal!.serving!.controller.context;
  for (const { apps } of server.people)
    for (const app of apps) {
      if (app.id !== manifest.id || app.env !== null || app.processes.length > 0 || !entries.backends.has(app.key)) continue;
      if (app.document === null && intents.every((one) => one.done || one.app !== app.id || one.person !== app.person.name))
        violate(world, `${app.key} is an object, and nothing of it is there`);
    }
}

/** Once nothing goes wrong any more. */
export async function checkRest(site: Site, afterMs: number): Promise<void> {
  const { world, portal } = site;
  const serving = portal?.serving ?? null;
  if (serving === null) return violate(world, `no portal serves people ${afterMs / 1_000} s after the last fault`);
  const { controller, gateway } = serving;
  const { entries } = controller.context;
  const packages = new Set([...entries.packages.values()].map(({ key }) => key));
  const [intents, present] = await Promise.all([site.store.intents(), site.store.present(world.clock.nowMs())]);
  const pending = new Map(intents.flatMap((one) => (one.done ? [] : [[keys.backend(one.person, one.app), one] as const])));
  for (const person of world.people) {
    // Whoever was taken out of the folder for a moment was signed out.
    if (!present.has(person.name)) person.session = null;
    if (person.document === 'leaving' && !entries.people.has(person.name)) {
      if (!site.doubles.has(person)) checkForgotten(world, person);
      person.document = 'gone';
    }
    if (person.document === 'leaving' && afterMs > 100_000)
      violate(world, `${person.name} still leaves ${afterMs / 1_000} s after the last fault`);
  }
  for (const installed of world.packages) {
    if (installed.document === 'leaving' && !installed.present && !packages.has(keys.package(packageName(installed))))
      installed.document = 'gone';
    if (afterMs < 100_000) continue;
    if (installed.document === 'leaving') violate(world, `${nameOf(installed)} still leaves ${afterMs / 1_000} s after the last fault`);
    if (installed.document === 'written' && !installed.present) violate(world, `${nameOf(installed)} is wanted and not there`);
  }
  for (const app of world.apps) {
    if (app.person.document !== 'written' || app.installed.document !== 'written') continue;
    const shown = gateway.apps.find(app.person.name, app.id);
    const intent = pending.get(app.key);
    app.intent = intent === undefined ? null : { ...intent };
    app.shown = shown && { state: shown.status, reason: shown.reason, sinceMs: 0 };
    if (shown === null) violate(world, `${app.key} is installed and not shown`);
    else checkConverged(world, app, afterMs);
    if (afterMs > 100_000) checkWishes(site, app);
    const why = await gateway.admin.why(app.key);
    if (why === null && app.env !== null) violate(world, `why knows nothing of ${app.key}`);
  }
  if (afterMs < 100_000) return;
  for (const { key } of await site.store.statuses('')) {
    const kind = kinds.get(kindOf(key));
    if (kind !== undefined && entryOf(kind, entries, key) === undefined) violate(world, `${key} has a status and is no object`);
  }
  for (const [person, state] of site.doubles) {
    const isThere = entries.people.has(doubleOf(person.name));
    if (state === 'leaving' && isThere) violate(world, `the second document of ${person.name} still leaves`);
    if (state === 'leaving' && !isThere) site.doubles.delete(person);
  }
  for (const installed of world.packages) await checkGone(site, installed);
  for (const server of world.servers) {
    if (server.document === 'leaving' && !entries.servers.has(server.name)) server.document = 'gone';
    if (server.document === 'leaving') violate(world, `${server.name} still leaves ${afterMs / 1_000} s after the last fault`);
  }
  const sockets = portal!.serving!.rooms.relay.figures().sockets;
  const there = [...site.rooms!.pages].filter(({ connection }) => connection.estado === 'sincronizado').length;
  if (sockets > there) violate(world, `the relay has ${sockets} sockets of ${there} pages`);
  const plan = await gateway.admin.plan(null);
  if (!plan.ok) violate(world, `the folder has errors: ${JSON.stringify(plan.errors)}`);
  for (const change of plan.changes) violate(world, `the plan has ${JSON.stringify(change)} ${afterMs / 1_000} s after the last fault`);
}

/** The last word of people, once everything is through. */
function checkWishes(site: Site, app: AppModel): void {
  const { world } = site;
  const wish = newestWish(site, app)?.[1];
  const nowMs = world.clock.monotonicMs();
  if (
    wish?.wish === 'stop' &&
    wish.by !== 'windows' &&
    app.document !== 'ligado' &&
    app.env !== null &&
    app.installed.manifest.kind !== 'service'
  )
    violate(world, `${app.key} was stopped by its person and lives`);
  const closedMs = site.closedAtMs.get(app);
  if (closedMs !== undefined && nowMs - closedMs > 5 * minuteMs) checkUnused(site, app, closedMs);
}

/** A minute after the folder was edited it is in force, whatever went wrong meanwhile and does no more. */
export async function checkTaken(site: Site, changedMs: number): Promise<void> {
  const { world, weather, portal } = site;
  const nowMs = world.clock.monotonicMs();
  const isTaking = weather.storeRefusesUntilMs < nowMs - 30_000 && weather.storeSlowMs === 0 && servedMs(site) > 30_000;
  if (changedMs !== site.folderChangedAtMs || site.isApplyDue || !isTaking) return;
  const plan = await portal!.serving!.gateway.admin.plan(null);
  const left = plan.changes.find(({ action }) => action.startsWith('document/'));
  if (left !== undefined && changedMs === site.folderChangedAtMs)
    violate(world, `the folder is not in force a minute after it was edited: ${JSON.stringify(left)}`);
}

/** A while after the last window of an app closed, when nobody asked for it since. */
export function checkUnused(site: Site, app: AppModel, closedMs: number): void {
  const { world } = site;
  const nowMs = world.clock.monotonicMs();
  const wish = newestWish(site, app)?.[1];
  const isSame = site.closedAtMs.get(app) === closedMs && app.windows.open === 0 && (wish?.atMs ?? 0) < closedMs;
  const isServed = nowMs - site.servesSinceMs > 3 * minuteMs && isFair(site, app.person, nowMs) && nowMs - site.clockSetAtMs > 3 * minuteMs;
  if (!isSame || !isServed || app.document !== null || app.env === null) return;
  if (closePolicy(app.installed.manifest).kind === 'encerrar')
    violate(world, `${app.key} has no window for ${Math.round((nowMs - closedMs) / 1_000)} s and lives`);
}

/** A caller of the api got its answer to a start. */
export function checkAnswer(
  site: Site,
  app: AppModel,
  { by, status, askedMs }: { readonly by: string; readonly status: string; readonly askedMs: number },
): void {
  const { world } = site;
  const wish = newestWish(site, app)?.[1];
  const isDisturbed = app.document !== null || wish?.wish === 'stop' || wish?.wish === 'restart' || !app.installed.present;
  const isServed = isFair(site, app.person, site.servesSinceMs + 16_000) && site.servesSinceMs <= askedMs;
  if (by === 'person' && wish?.wish === 'stop' && wish.atMs < askedMs)
    violate(world, `${app.key}: a start is answered ${status} and was never asked for`);
  if (by === 'navigation' && status === 'stopped' && app.env === null && app.windows.open > 0 && isServed && !isDisturbed)
    violate(world, `${app.key} was opened and stays stopped`);
}

/** Somebody whose account is closed has no session soon after. */
export async function checkClosed(site: Site, person: PersonModel): Promise<void> {
  const present = await site.store.present(site.world.clock.nowMs());
  if (present.has(person.name)) violate(site.world, `the account of ${person.name} is closed, and they are still signed in`);
  else person.session = null;
}
