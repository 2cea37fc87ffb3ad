/** Puts a desk together: the parts of it, what the portal says while it happens, and what follows from changes. */
import type { SessionAnswer } from '../../schema/wire/http.ts';
import type { NoticeView } from '../../schema/wire/rooms.ts';
import { createBellModel, type BellSays } from '../bell/bell-model.ts';
import { isNoticeShown, noticeText } from '../bell/notice-words.ts';
import { canOpen, openNotice } from '../bell/open-notice.ts';
import { startBridge, type BridgeFrame, type BridgePage } from '../bridge/host.ts';
import { devApp } from '../state/dev-app.ts';
import { createDevModel, type DevModel } from '../dev/model.ts';
import { createEngines } from '../engines/engines.ts';
import { startEvents, type Connection } from '../events/client.ts';
import { lineLost } from '../events/line.ts';
import { tryNow } from '../events/try-later.ts';
import { language, text } from '../i18n/i18n.ts';
import { actFor, ApiError, closeTabs, listApps, sendWindowCount } from '../session/api.ts';
import { takeDestination } from '../session/destination.ts';
import { readDev } from '../session/dev-api.ts';
import { noteEnd } from '../session/leave.ts';
import { changePreferences, readPreferences } from '../session/preferences-api.ts';
import { markNoticesRead, readNotices } from '../session/rooms-api.ts';
import { readConsents, readSettings } from '../session/settings-api.ts';
import { createSettingsModel } from '../settings/model.ts';
import { createGrants } from '../opening/grants.ts';
import { createOpeningModel } from '../opening/model.ts';
import { startQueue } from '../queue/start-queue.ts';
import { createQuestions } from '../questions/questions.ts';
import { followAppearance } from '../preferences/follow.ts';
import { accent, followLook } from '../preferences/look.ts';
import { createPreferencesModel } from '../preferences/model.ts';
import { createWindowWriter, isOnlyPage, lastWindows, otherPages } from '../windows/last-windows.ts';
import { createAppsModel, type AppsModel } from '../state/apps.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import { listenLinks } from '../shop/links.ts';
import { createShopModel } from '../shop/model.ts';
import { createTabs, type Tabs } from '../tabs/tabs.ts';
import { dark } from '../ui/theme.ts';
import { createWindowCounts } from '../windows/counts.ts';
import { createWindowManager, type WindowManager } from '../windows/manager.ts';
import { createRemovedApps, type RemovedApps } from '../windows/removed-apps.ts';
import { loadOpenWindows, remembersWindows, saveOpenWindows, storedPlaces } from '../windows/places.ts';
import { appCallsOf } from './app-verbs.ts';
import { bridgeHandlers } from './bridge-verbs.ts';
import { builtinOptions, ownWindows, provideFiles } from './built-in.ts';
import { deskWindows, optionsOf } from './desk-windows.ts';
import { engineParts } from './engine-parts.ts';
import { keptByFront, pressed } from './follow-focus.ts';
import { pressShellKey } from './keys.ts';
import { createTakers } from './takers.ts';
import { tellEnds } from './tell-ends.ts';
import { tellUpdates } from './tell-updates.ts';
import { followUnsaved, unsavedOf } from './unsaved-windows.ts';
import { followLeaving } from './leaving.ts';
import type { Desk, Leaving, Switching } from './desk.ts';
import type { KeyboardMode } from '../frames/frame-desk.ts';
import { isApp, type Frame, type Toast } from '../windows/shell.ts';
import { keptHere, keptInTab } from '../state/kept.ts';

/** Windows are written down when nothing changed for so long, and when the page goes. */
const rememberMs = 100;

/** Lives as long as the page: signing out reloads it. */
export function startDesk(session: SessionAnswer): Desk {
  actFor(session.usuario, () => location.replace('/?entrada=OTHER_PERSON'));
  const apps = createAppsModel(async (usage) => await listApps(usage).catch(leaveWhenSignedOut));
  const announcement = startAnnouncement();
  const shop = createShopModel((words) => announcement.set(words));
  const bell = createBellModel(
    { read: readNotices, consents: readConsents, markRead: markNoticesRead },
    bellSays(() => desk),
  );
  const preferences = followLook(followAppearance(createPreferencesModel({ read: readPreferences, change: changePreferences })));
  const settings = createSettingsModel({ read: readSettings, consents: readConsents });
  const queue = startQueue((words) => announcement.set(words));
  const opening = createOpeningModel(readSettings);
  const dev = startDev(session, () => desk);
  const windows = createWindowManager({ width: innerWidth, height: innerHeight }, storedPlaces(keptHere, session.usuario));
  const connection = createSignal<Connection>('connecting');
  const frames = new Map<string, Frame>();
  const tabs = createTabs();
  const counts = countsFor(apps, tabs);
  const publishToRooms = (app: string | null): void => emitRoomsChanged(desk, app);
  startFeed(session, {
    apps,
    shop,
    bell,
    preferences,
    settings,
    queue,
    opening,
    dev,
    publishToRooms,
    connection,
    gone: (app) => closeRemoved(desk, app),
    page: (page) => counts.connected(page),
    consents: () => desk.appCalls.heed(),
    portal: (presente) => {
      for (const window of windows.windows.get()) if (isApp(window)) desk.bridge.emit(window.id, 'portal', { presente });
    },
  });
  const desk: Desk = {
    session,
    apps,
    engines: createEngines(apps, engineParts),
    shop,
    bell,
    preferences,
    settings,
    queue,
    opening,
    dev,
    grants: createGrants(keptInTab, session.usuario),
    windows,
    appCalls: appCallsOf(() => desk),
    connection,
    ...emptyAtFirst(),
    announcement,
    frames,
    questions: createQuestions(() => performance.now()),
    unsaved: unsavedOf(() => desk),
    tabs,
    bridge: startBridge(
      () => bridgeFrames(windows, apps, frames),
      bridgeHandlers(() => desk),
      bridgePage(() => desk),
    ),
    ...deskWindows(() => desk),
  };
  provideFiles(desk);
  connect(desk, (now) => counts.update(now));
  return desk;
}

/** A change of language empties the announcement, so that a text in the other language is not read again. */
function startAnnouncement(): Signal<string> {
  const announcement = createSignal('');
  language.subscribe(() => announcement.set(''));
  return announcement;
}

/** The parts that open over the windows, and those that start empty. */
function emptyAtFirst() {
  return {
    ownWindows,
    takers: createTakers(),
    launcherOpen: createSignal(false),
    shortcutsOpen: createSignal(false),
    switching: createSignal<Switching | null>(null),
    sessionsOpen: createSignal(false),
    leaving: createSignal<Leaving | null>(null),
    updating: createSignal<ReadonlyMap<string, string>>(new Map()),
    bellOpen: createSignal(false),
    shared: createSignal<string | null>(null),
    historyOf: createSignal<string | null>(null),
    roomsChanged: createSignal(0),
    secretsApp: createSignal<string | null>(null),
    shielded: createSignal(false),
    keyboardMode: createSignal<KeyboardMode | null>(null),
    toast: createSignal<Toast | null>(null),
    tasksApp: createSignal<string | null>(null),
    terminalFolders: createSignal<readonly string[]>([]),
    homePath: createSignal<string | null>(null),
    held: createSignal<ReadonlyMap<string, () => void>>(new Map()),
    noticeWindows: new Map<string, string>(),
  };
}

/** The portal of `svc dev`: pages of the app that is being written are loaded again when it says so. */
function startDev({ dev }: SessionAnswer, desk: () => Desk): DevModel | null {
  devApp.set(dev);
  if (dev === null) return null;
  const reload = (what: 'page' | 'styles'): void => {
    const { windows, frames, bridge } = desk();
    for (const { id } of windows.ofApp(dev)) if (!bridge.renew(id, what)) frames.get(id)?.reload();
  };
  const model = createDevModel(dev, { read: readDev, reload });
  model.refresh();
  return model;
}

function emitRoomsChanged({ roomsChanged, windows, bridge }: Desk, app: string | null): void {
  roomsChanged.set(roomsChanged.get() + 1);
  for (const window of windows.windows.get())
    if (isApp(window) && (app === null || window.app === app)) bridge.emit(window.id, 'mudaram', {});
}

function bellSays(desk: () => Desk): BellSays {
  return {
    notice: (words, notice) => {
      if (isNoticeShown(desk().preferences.state.get(), notice)) showNotice(desk(), words, notice);
    },
    pending: (words) => {
      const { announcement, bellOpen, preferences, toast } = desk();
      // As what an app says to its own person.
      if (!isNoticeShown(preferences.state.get(), { tipo: 'aplicativo' })) return;
      announcement.set(words);
      if (!bellOpen.get()) toast.set({ words, open: () => desk().open('@configuracoes', 'consentimentos') });
    },
  };
}

function showNotice(desk: Desk, words: string, notice: NoticeView): void {
  desk.announcement.set(words);
  const open = canOpen(desk, notice) ? () => openNotice(desk, notice) : null;
  if (!desk.bellOpen.get()) desk.toast.set({ words: noticeText(notice), open });
}

function bridgeFrames(windows: WindowManager, apps: AppsModel, frames: ReadonlyMap<string, Frame>): readonly BridgeFrame[] {
  return windows.windows.get().flatMap((window) => {
    const app = apps.find(window.app);
    const contentWindow = frames.get(window.id)?.iframe?.contentWindow;
    return app === undefined || contentWindow == null
      ? []
      : [{ window: window.id, contentWindow, origin: new URL(app.url, location.href).origin }];
  });
}

function bridgePage(desk: () => Desk): BridgePage {
  return {
    hello: (id) => {
      desk().frames.get(id)?.greeted();
      desk().tabs.clear(id);
      desk().unsaved.drop(id);
      desk().bridge.emit(id, 'tema', appearance());
      if (desk().connection.get() === 'away') desk().bridge.emit(id, 'portal', { presente: false });
    },
    panel: (id) => desk().bridge.emit(id, 'tema', appearance()),
    pointer: (id) => pressed(desk(), id),
    blurred: (id) => keptByFront(desk(), id),
    key: (_, key) => pressShellKey(desk(), key),
  };
}

function countsFor(apps: AppsModel, tabs: Tabs): ReturnType<typeof createWindowCounts> {
  return createWindowCounts({
    send: sendWindowCount,
    closeTabs: (id) => {
      const app = apps.find(id);
      const closed = tabs.takeClosed(id);
      if (app !== undefined) closeTabs(app.url, closed);
    },
  });
}

/** The events of the portal begin within so long, or the desktop asks before they do. */
const helloMsMax = 1_500;

/** Follows the portal's events. */
function startFeed(
  { usuario }: SessionAnswer,
  to: Pick<Desk, 'apps' | 'shop' | 'bell' | 'preferences' | 'settings' | 'queue' | 'opening' | 'dev' | 'connection'> & {
    readonly page: (page: string | null) => void;
    /** An app was removed on the server. */
    readonly gone: (app: string) => void;
    /** Consents between apps changed. */
    readonly consents: () => void;
    /** Rooms of that app changed; null: of any app, perhaps. */
    readonly publishToRooms: (app: string | null) => void;
    /** It went away, which a page's own connections may find out later, or it is back. */
    readonly portal: (presente: boolean) => void;
  },
): void {
  const { apps, publishToRooms, connection } = to;
  const followers = [apps, to.shop, to.bell, to.preferences, to.settings, to.queue, to.opening, ...(to.dev === null ? [] : [to.dev])];
  const removed = watchRemovals(apps, to.gone);
  const refresh = (): void => {
    for (const follower of followers) follower.refresh();
  };
  // The icons are what a person waits for: they are not behind a way there and back of the WebSocket.
  apps.refresh();
  // Where no WebSocket gets through, what there is is shown all the same.
  setTimeout(() => connection.get() === 'connecting' && refresh(), helloMsMax);
  startEvents(`${location.origin.replace(/^http/, 'ws')}/ws/events?pessoa=${encodeURIComponent(usuario)}`, {
    event: (event) => {
      for (const follower of followers) follower.apply(event);
      removed.heard(event);
      if (event.type === 'mudaram') publishToRooms(event.app);
      if (event.type === 'consentimentos') to.consents();
    },
    resync: () => {
      refresh();
      publishToRooms(null);
    },
    page: (page) => to.page(page),
    silent: lineLost,
    connection: (state) => {
      const [wasOpen, wasAway] = [connection.get() === 'open', connection.get() === 'away'];
      connection.set(state);
      // Is the portal away, or are we signed out? The answer says.
      if (state === 'away') apps.refresh();
      if (wasOpen && state === 'away') to.portal(false);
      if (!wasAway || state !== 'open') return;
      to.portal(true);
      tryNow();
    },
  });
}

function watchRemovals(apps: AppsModel, gone: (app: string) => void): RemovedApps {
  const removed = createRemovedApps(gone);
  apps.state.subscribe(() => {
    const { loaded, error, apps: now } = apps.state.get();
    if (loaded && error === null) removed.listed(new Set(now.map(({ id }) => id)));
  });
  return removed;
}

/** Its windows would show an app that was removed. */
function closeRemoved(desk: Desk, app: string): void {
  desk.grants.drop(app);
  for (const window of desk.windows.ofApp(app)) {
    desk.close(window.id);
    // Its page is still there, with what is not saved in it.
    if (desk.windows.find(window.id) !== undefined) continue;
    const words = text('window.appRemoved', { titulo: desk.title(window) });
    desk.announcement.set(words);
    desk.toast.set({ words, open: null });
  }
}

/** The session ended elsewhere: the sign-in page is loaded. Too many cookies: the portal's page removes them. */
function leaveWhenSignedOut(error: unknown): never {
  if (error instanceof ApiError && error.status === 401) noteEnd('ended');
  if (error instanceof ApiError && (error.status === 401 || error.status === 431)) location.reload();
  throw error;
}

const appearance = (): { readonly tema: string; readonly idioma: string; readonly destaque: string } => ({
  tema: dark.get() ? 'escuro' : 'claro',
  idioma: language.get(),
  destaque: accent.get(),
});

/** Connects the parts that follow from changes: counts, memory of open windows, appearance of the pages. */
function connect(desk: Desk, updateCounts: (counts: ReadonlyMap<string, number>) => void): void {
  const { windows, apps, session, bridge, preferences, questions, tabs, unsaved } = desk;
  let restoring = false;
  let restored = false;
  let known = new Set<string>();
  const save = createWindowWriter(
    (janelas) => preferences.change({ janelas }),
    otherPages(session.usuario, () => localStorage),
  );
  const isOnly = isOnlyPage(session.usuario);
  const restore = async (): Promise<void> => {
    if (restoring || !apps.state.get().loaded) return;
    restoring = true;
    const own = remembersWindows(keptInTab, session.usuario);
    const before = own ? loadOpenWindows(keptInTab, session.usuario) : (await isOnly) ? await lastWindows(preferences.state) : [];
    restored = true;
    // Where the person opened something meanwhile, only this page's own windows are restored.
    for (const saved of own || windows.windows.get().length === 0 ? before : []) {
      const app = apps.find(saved.app);
      const options = app === undefined ? builtinOptions(saved.app) : optionsOf(app);
      // Each of several pages that were open at once may have had the only window of an app.
      if (options === null || (!options.manyWindows && windows.ofApp(saved.app).length > 0)) continue;
      const { id } = windows.reopen(saved.app, options, saved);
      for (const opening of saved.openings ?? []) bridge.emit(id, 'abertura', opening);
    }
    // Where a link led before the person was signed in.
    const destination = takeDestination(keptHere, Date.now());
    if (destination !== null) desk.openApp(destination.app, { route: destination.route });
    listenLinks((app) => desk.open('@loja', app));
  };
  const remember = (): void => {
    if (restored) saveOpenWindows(keptInTab, session.usuario, windows.windows.get(), (id) => bridge.openings(id));
  };
  /** A window that is dragged changes at each frame. */
  let remembering: ReturnType<typeof setTimeout> | undefined;
  const rememberSoon = (): void => {
    clearTimeout(remembering);
    remembering = setTimeout(remember, rememberMs);
  };
  const changed = (): void => {
    const now = windows.windows.get();
    const ids = new Set(now.map(({ id }) => id));
    // Before the close-tabs request for the last window, which carries the tabs.
    for (const id of known) if (!ids.has(id)) [bridge, questions, tabs, unsaved].forEach((part) => part.drop(id));
    known = ids;
    const counts = new Map<string, number>();
    for (const window of now) if (isApp(window)) counts.set(window.app, (counts.get(window.app) ?? 0) + 1);
    updateCounts(counts);
    if (restored) {
      rememberSoon();
      save(now.filter(isApp));
    }
  };
  const dress = (): void => {
    for (const window of windows.windows.get()) if (isApp(window)) bridge.emit(window.id, 'tema', appearance());
  };
  followUnsaved(desk);
  followLeaving(desk);
  tellUpdates(desk);
  tellEnds(desk);
  // Saves the openings that pages have not received yet, too.
  addEventListener('pagehide', remember);
  apps.state.subscribe(() => void restore());
  windows.windows.subscribe(changed);
  dark.subscribe(dress);
  language.subscribe(dress);
  accent.subscribe(dress);
}
