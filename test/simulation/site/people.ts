/** Deeds of people of a simulated site: they come and go, open and close windows, ask for apps, and an administrator edits the folder. */
import { SvcError } from '../../../schema/errors.ts';
import { keys } from '../../../schema/keys.ts';
import { watchIdle } from '../server-model.ts';
import { violate, type AppModel, type PersonModel, type ServerModel } from '../world.ts';
import { checkAnswer, checkUnused } from './checks.ts';
import { writeFolder } from './folder.ts';
import { openPage, write, type Page } from './pages.ts';
import { checkSignedOut } from './room-checks.ts';
import type { Portal } from './portal.ts';
import { makeRoom, newSession, sessionHash, setRole } from './rooms.ts';
import { count, later, type Site } from './site.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

export function signIn(site: Site, person: PersonModel): void {
  if (person.document !== 'written' || site.portal?.serving == null || site.closedAccounts.has(person.name)) return;
  const nowMs = site.world.clock.nowMs();
  const tokenHash = newSession(site.rooms!, person);
  const session = { tokenHash, person: person.name, admin: false, audience: 'portal', method: 'link', address: '', agent: '' } as const;
  // The api answers once it is stored.
  void site.store
    .putSession({ ...session, createdAtMs: nowMs, expiresAtMs: nowMs + 100 * 24 * hourMs, seenAtMs: nowMs })
    .then(() => site.portal?.bus.enqueue(keys.person(person.name), false));
  person.session = nowMs;
  site.portal.serving.windows.pageOpened(person.name, person.name);
}

export function signOut(site: Site, person: PersonModel): void {
  if (person.session === null || site.portal?.serving == null) return;
  person.session = null;
  const session = sessionHash(site.rooms!, person);
  const { relay } = site.portal.serving.rooms;
  const end = async (): Promise<void> => {
    await site.store.deleteSession(session);
    relay.endSession(session);
    site.portal?.bus.enqueue(keys.person(person.name), false);
  };
  void end();
  for (const ms of [6_000, 40_000]) later(site, ms, () => checkSignedOut(site.rooms!, person, session));
  for (const app of person.apps) allWindowsClosed(site, app);
  void site.portal.serving.windows.pageClosed(person.name).catch(() => undefined);
}

/** The first day: everybody signs in, two rooms are made, and pages opened. */
export function beginPeople(site: Site): void {
  const { people } = site.world;
  const rooms = site.rooms!;
  for (const person of people) signIn(site, person);
  for (const [at, owner] of people.slice(0, 2).entries())
    later(site, 1_000 + at * 500, () => {
      const begin = async (): Promise<void> => {
        await makeRoom(rooms, owner);
        const room = rooms.all.at(-1)!;
        for (const person of people)
          if (person !== owner) await setRole(rooms, room, person, person === people[2] && at === 0 ? 'ver' : 'editar');
        for (const person of people) keepWriting(site, openPage(rooms, person, room));
      };
      void begin().catch(() => undefined);
    });
}

export function keepWriting(site: Site, page: Page): void {
  later(site, site.chance(`writes ${page.name}`).int(300, 8_000), () => {
    if (!page.isOpen) return;
    if (page.room.quietUntilMs <= site.world.clock.monotonicMs()) write(site.rooms!, page);
    keepWriting(site, page);
  });
}

export function allWindowsClosed(site: Site, app: AppModel): void {
  if (app.windows.open > 0) noteClosed(site, app);
  app.windows = { open: 0, zeroSinceMs: site.world.clock.nowMs() };
}

function setWindows(site: Site, app: AppModel, open: number): void {
  app.windows = { open, zeroSinceMs: open === 0 ? site.world.clock.nowMs() : null };
  if (open === 0) watchIdle(site.world, app);
  if (open === 0) noteClosed(site, app);
  else site.closedAtMs.delete(app);
  const { portal } = site;
  portal?.process.gate(() => tellWindows(site, portal, app, open));
}

/** Windows that no portal was told of end nothing when they close. */
function noteClosed(site: Site, app: AppModel): void {
  const { closedAtMs, windowsTold, world } = site;
  if (!windowsTold.delete(app)) return void closedAtMs.delete(app);
  const { clock } = world;
  const nowMs = clock.monotonicMs();
  closedAtMs.set(app, nowMs);
  clock.at(nowMs + 6 * minuteMs, () => checkUnused(site, app, nowMs));
}

/** As a page does, which has an answer once it is stored. */
export function tellWindows(site: Site, portal: Portal, app: AppModel, open: number): void {
  const { name } = app.person;
  const told = (): void => void (open > 0 && app.windows.open > 0 && site.windowsTold.add(app));
  portal.serving?.windows.count(name, name, app.id, open).then(told, () => undefined);
}

/** As the routes of the api do it, which answer once the order is in the store. `leaves`: how often its page is closed before the answer. */
export function ask(site: Site, app: AppModel, wish: 'start' | 'stop' | 'restart', by: 'person' | 'navigation', leaves = 0.2): void {
  site.portal?.process.gate(() => askNow(site, app, wish, by, leaves));
}

function askNow(site: Site, app: AppModel, wish: 'start' | 'stop' | 'restart', by: 'person' | 'navigation', leaves: number): void {
  const starts = site.portal?.serving?.starts;
  const { name } = app.person;
  if (starts === undefined) return;
  count(site, `asked to ${wish}`);
  const away = new AbortController();
  const random = site.chance(`asks ${app.key}`);
  if (random.chance(leaves)) later(site, random.int(leaves > 0.5 ? 5 : 50, leaves > 0.5 ? 300 : 5_000), () => away.abort());
  const options = { by, deadlineMs: 20_000, signal: away.signal } as const;
  const askedMs = site.world.clock.monotonicMs();
  const answer =
    wish === 'start'
      ? starts.startAndWait(name, app.id, options)
      : wish === 'stop'
        ? starts.stopAndWait(name, app.id, options)
        : starts.restartAndWait(name, app.id, options);
  const heard = async (): Promise<void> => {
    try {
      const { status } = await answer;
      count(site, `answered ${status}`);
      if (wish === 'start' && !away.signal.aborted) checkAnswer(site, app, { by, status, askedMs });
    } catch (error) {
      count(site, 'refused');
      const isPinned = error instanceof SvcError && error.code === 'PINNED' && app.document === null && !site.isApplyDue;
      if (isPinned && site.world.clock.monotonicMs() - Math.max(site.folderChangedAtMs, site.faultAtMs) > minuteMs)
        violate(site.world, `${app.key}: a ${wish} is refused by a document that is gone`);
    }
  };
  void heard();
}

export function openWindow(site: Site, app: AppModel): void {
  if (app.person.document !== 'written') return;
  const isNew = app.person.session === null;
  if (isNew) signIn(site, app.person);
  setWindows(site, app, app.windows.open + 1);
  // The desktop of somebody who just came is there first.
  const { clock } = site.world;
  clock.at(clock.monotonicMs() + (isNew ? site.chance(`opens ${app.key}`).int(1, 250) : 0), () => ask(site, app, 'start', 'navigation'));
}

export function closeWindow(site: Site, app: AppModel): void {
  if (app.windows.open > 0) setWindows(site, app, app.windows.open - 1);
}

export function pin(site: Site, app: AppModel, document: AppModel['document']): void {
  if (document !== null && (app.person.document !== 'written' || app.installed.document !== 'written')) return;
  const isRemoval = app.document !== null && document === null;
  app.document = document;
  writeFolder(site, isRemoval);
}

/** The account of a person belongs to a document of another name, `written`, or to the person again: what runs there goes on. */
export function renamed(site: Site, person: PersonModel, double: 'written' | 'leaving'): void {
  site.doubles.set(person, double);
  person.document = double === 'written' ? 'leaving' : 'written';
  for (const app of person.apps) app.document = null;
  leavePages(site, person);
  writeFolder(site, true);
}

/** Pages of a person who has no document of their name any more. */
function leavePages(site: Site, person: PersonModel): void {
  for (const app of person.apps) allWindowsClosed(site, app);
  const { portal } = site;
  portal?.process.gate(() => void portal.serving?.windows.pageClosed(person.name).catch(() => undefined));
  person.session = null;
}

export function leave(site: Site, owner: PersonModel | AppModel['installed'], backMs: number): void {
  if (owner.document !== 'written' || owner.server.document !== 'written') return;
  owner.document = 'leaving';
  const apps =
    owner.kind === 'person'
      ? owner.apps
      : owner.server.people.flatMap(({ apps: all }) => all.filter(({ installed }) => installed === owner));
  for (const app of apps) app.document = null;
  if (owner.kind === 'person') leavePages(site, owner);
  writeFolder(site, true);
  later(site, backMs, () => {
    // With its server it comes back as well.
    if (owner.server.document !== 'written') return;
    owner.document = 'written';
    writeFolder(site, false);
  });
}

/** With all that is on it. */
export function serverLeaves(site: Site, server: ServerModel, backMs: number): void {
  const all = [...server.people, ...server.packages];
  if (server.document !== 'written' || server.people.some((person) => site.doubles.has(person))) return;
  for (const one of [server, ...all]) if (one.document === 'written') one.document = 'leaving';
  for (const person of server.people) {
    for (const app of person.apps) app.document = null;
    leavePages(site, person);
  }
  writeFolder(site, true);
  later(site, backMs, () => {
    for (const one of [server, ...all]) one.document = 'written';
    writeFolder(site, false);
  });
}
