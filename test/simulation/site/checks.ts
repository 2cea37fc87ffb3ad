/** What must hold at each order, and once nothing goes wrong any more. A violation names the seed, the time and the object. */
import type { StopReason } from '../../../schema/reasons/derived.ts';
import { keys } from '../../../schema/keys.ts';
import { checkConverged, checkForgotten } from '../invariants.ts';
import { nameOf } from '../leaving-model.ts';
import { violate, type AppModel, type Installed } from '../world.ts';
import type { Site } from './site.ts';

interface Order {
  readonly op: string;
  readonly requestId?: string;
  readonly reason?: StopReason;
}

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
  if (before.length > ordersAMinuteMax + 3 * asked) violate(world, `${app.key} got ${before.length} orders in a minute, people gave ${asked}`);
  if (op !== 'stop') return;
  const wished = [...site.wishes].find(([id]) => requestId.startsWith(id))?.[1];
  if ((reason === 'StoppedByPerson' || reason === 'StoppedByAdmin') && (wished === undefined || wished.app !== app || wished.wish === 'start'))
    violate(world, `${app.key} is ordered to stop (${reason}, ${requestId}) and nobody asked for that`);
  if (reason === 'LastWindowClosed') checkWindows(site, app);
  if (reason === 'PersonRemoved' && app.person.document === 'written' && world.clock.monotonicMs() - changedAtMs(site) > wayMs)
    violate(world, `${app.key} is ordered to stop (${reason}) and its person stays`);
  if (reason === 'PinnedStopped' && app.document !== 'desligado' && world.clock.monotonicMs() - changedAtMs(site) > wayMs)
    violate(world, `${app.key} is ordered to stop (${reason}) without such a document`);
}

const changedAtMs = (site: Site): number => site.counts['folder changed at'] ?? -Infinity;

function checkWindows(site: Site, app: AppModel): void {
  const { open, zeroSinceMs } = app.windows;
  const { world } = site;
  if (open > 0 && world.clock.nowMs() - (zeroSinceMs ?? world.clock.nowMs()) > wayMs)
    violate(world, `${app.key} is ordered to stop (LastWindowClosed) with ${open} windows open`);
}

/** The installer takes the code away: its instances were ended first, unless they did not end or nobody sees them. */
export function checkRemoved(site: Site, installed: Installed): void {
  if (installed.document === 'written') violate(site.world, `${nameOf(installed)} is removed and did not leave`);
}

/** Once nothing goes wrong any more. */
export async function checkRest(site: Site, afterMs: number): Promise<void> {
  const { world, portal } = site;
  const serving = portal?.serving ?? null;
  if (serving === null) return violate(world, `no portal serves people ${afterMs / 1_000} s after the last fault`);
  const { controller, gateway } = serving;
  const { entries } = controller.context;
  const [intents, present] = await Promise.all([site.store.intents(), site.store.present(world.clock.nowMs())]);
  const pending = new Map(intents.flatMap((one) => (one.done ? [] : [[keys.backend(one.person, one.app), one] as const])));
  for (const person of world.people) {
    // Whoever was taken out of the folder for a moment was signed out.
    if (!present.has(person.name)) person.session = null;
    if (person.document === 'leaving' && !entries.people.has(person.name)) {
      checkForgotten(world, person);
      person.document = 'gone';
    }
    if (person.document === 'leaving' && afterMs > 100_000) violate(world, `${person.name} still leaves ${afterMs / 1_000} s after the last fault`);
  }
  for (const installed of world.packages) {
    if (installed.document === 'leaving' && !installed.present && !entries.packages.has(keys.package(`${installed.manifest.id}-${installed.server.name}`)))
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
    const why = await gateway.admin.why(app.key);
    if (why === null && app.env !== null) violate(world, `why knows nothing of ${app.key}`);
  }
  if (afterMs < 100_000) return;
  const plan = await gateway.admin.plan(null);
  if (!plan.ok) violate(world, `the folder has errors: ${JSON.stringify(plan.errors)}`);
  for (const change of plan.changes) violate(world, `the plan has ${JSON.stringify(change)} ${afterMs / 1_000} s after the last fault`);
}
