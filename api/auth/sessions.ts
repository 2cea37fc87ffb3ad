/**
 * Identifies the person behind a request. A portal session belongs to the shell's origin; an app session belongs to one app's origin, was handed
 * over by a pass and lives only as long as the portal session it came from.
 * Decisions: docs/decisions/0003-sessions-and-passes.md, 0036-session-cookie.md
 */
import type { Bus } from '../../store/bus.ts';
import type { SignInMethod, Store, StoredSession } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import { ownedBy } from '../connections/work-owner.ts';
import { limits } from './limits.ts';
import { newSecret, secretHash, shortHash } from './secrets.ts';

export interface Session {
  readonly person: string;
  readonly admin: boolean;
  /** Hash of the cookie: names the session, opens nothing. */
  readonly id: string;
  /** The portal session that it ends with; its own id for a portal session. */
  readonly root: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

/** How and from where a person signed in: shown in their own list of sessions. */
export interface SignInSource {
  readonly method: SignInMethod;
  readonly address: string;
  readonly agent: string;
}

/** A portal session as its person and the admin see it. */
export interface SessionView extends SignInSource {
  /** Names the session in routes; made from its hash, opens nothing. */
  readonly id: string;
  readonly root: string;
  readonly admin: boolean;
  readonly createdAtMs: number;
  readonly seenAtMs: number;
  readonly expiresAtMs: number;
}

export interface Opened {
  /** The cookie's value. */
  readonly secret: string;
  readonly session: Session;
}

export interface Sessions {
  /** A new portal session. */
  open(person: string, admin: boolean, source?: SignInSource): Promise<Opened>;
  openForApp(person: string, app: string, root: string): Promise<Opened | null>;
  /** Looking a session up is a use of it: now and then it is written down, and the session lives on from there. */
  portal(secret: string | null): Promise<Session | null>;
  app(secret: string | null, app: string): Promise<Session | null>;
  /** Answer of `app` for the secret with this hash, when it is known without asking the store: for the hot path. Undefined: ask. */
  peekApp(id: string, app: string): Session | undefined;
  peekPortal(id: string): Session | undefined;
  /** The session, by its id, is still good. No use of it. */
  alive(root: string): Promise<boolean>;
  /** Portal sessions of the person, the last used first. */
  list(person: string): Promise<readonly SessionView[]>;
  /** Ends a portal session and every app session that came from it. */
  end(session: Pick<Session, 'person' | 'root'>): Promise<void>;
  /** Ends by the id of the list; false when the person has no such session. */
  endListed(person: string, id: string): Promise<boolean>;
  /** The same session under a new cookie, as old as it was; the one before ends. By the id of the list; null when the person has no such session. */
  renew(person: string, id: string): Promise<Opened | null>;
  /** Signs the person out everywhere, but for the portal session `keep`. Answers how many ended. */
  endAll(person: string, keep?: string): Promise<number>;
  /** Ends what the person's portal sessions hold open here, and not the sessions: they may less than before. */
  letGo(person: string): Promise<void>;
  /** Called with the ids of portal sessions that ended early, or let go, and of their app sessions. */
  onEnd(listener: (session: string) => void): () => void;
  /** A person signed in or out: whether they have a session may have changed. */
  onPresence(listener: (person: string) => void): () => void;
}

/** Answers of the store, kept for limits.sessionCacheMs: the proxy asks at every request. */
interface SessionCache {
  get(id: string, audience: string): Session | undefined;
  /** `endings` as read before the store was asked: what was read before an ending is not kept after it. */
  put(id: string, audience: string, session: Session, endings: number): void;
  /** A portal session by its id: whose, and until when. Kept as long, but no use of it. */
  root(id: string): Living | undefined;
  putRoot(id: string, living: Living, endings: number): void;
  endings(): number;
  /** Called before and after the sessions are deleted. */
  forget(tokenHashes: readonly string[]): void;
}

type Living = Pick<StoredSession, 'person' | 'expiresAtMs'>;

function createSessionCache(clock: Clock): SessionCache {
  const roots = new Map<string, { readonly living: Living; readonly untilMonotonicMs: number }>();
  const cache = new Map<string, { readonly session: Session; readonly audience: string; readonly untilMonotonicMs: number }>();
  let endings = 0;
  return {
    get: (id, audience) => {
      const cached = cache.get(id);
      if (cached?.audience !== audience || cached.untilMonotonicMs <= clock.monotonicMs()) return undefined;
      return cached.session.expiresAtMs > clock.nowMs() ? cached.session : undefined;
    },
    put: (id, audience, session, endingsBefore) => {
      if (endings !== endingsBefore) return;
      if (cache.size >= limits.sessionCacheEntriesMax) cache.clear();
      cache.set(id, { session, audience, untilMonotonicMs: clock.monotonicMs() + limits.sessionCacheMs });
    },
    root: (id) => {
      const known = roots.get(id);
      return known && known.untilMonotonicMs > clock.monotonicMs() ? known.living : undefined;
    },
    putRoot: (id, { person, expiresAtMs }, endingsBefore) => {
      if (endings !== endingsBefore) return;
      if (roots.size >= limits.sessionCacheEntriesMax) roots.clear();
      roots.set(id, { living: { person, expiresAtMs }, untilMonotonicMs: clock.monotonicMs() + limits.sessionCacheMs });
    },
    endings: () => endings,
    forget: (tokenHashes) => {
      endings += 1;
      for (const tokenHash of tokenHashes) {
        cache.delete(tokenHash);
        roots.delete(tokenHash);
      }
    },
  };
}

export function appAudience(app: string, root: string): string {
  return `${app}@${root}`;
}

type OthersBus = Pick<Bus, 'tellOthers' | 'onHeard'>;

/**
 * `person` says whether the person still exists: sessions of removed people are invalid. `isAdmin`: whether `Portal.spec.admins` makes them an
 * administrator; asked at each use of a portal session, so that it holds for those that are there. Decision: docs/decisions/0399-administrators-by-name-and-group.md
 */
export function createSessions(
  store: Store,
  clock: Clock,
  person: (usuario: string) => boolean,
  bus: OthersBus,
  isAdmin: (usuario: string) => boolean = () => false,
): Sessions {
  const cache = createSessionCache(clock);
  const [endings, presence] = [createListeners(), createListeners()];

  const { peek, find, root, marked } = createLookup({ store, clock, cache, person, isAdmin });
  const ended = shareEndings(bus, cache, endings.emit);
  const { list, shown, endRoots, endAll, letGo } = createList({
    store,
    clock,
    cache,
    isAdmin,
    ended,
    letGo: endings.emit,
    left: presence.emit,
  });

  return {
    open: async (owner, admin, source = { method: 'link', address: '', agent: '' }) => {
      const opened = newSession(clock, { person: owner, admin, root: null });
      await store.putSession({ ...rowOf(opened.session, 'portal', clock.nowMs()), ...cut(source) });
      presence.emit(owner);
      return { ...opened, session: marked(opened.session) };
    },
    openForApp: async (owner, app, rootId) => {
      const parent = await root(rootId);
      if (parent?.person !== owner) return null;
      const opened = newSession(clock, { person: owner, admin: false, root: parent });
      await store.putSession(rowOf(opened.session, appAudience(app, rootId), clock.nowMs()));
      return opened;
    },
    portal: (secret) => find(secret, 'portal'),
    app: (secret, app) => find(secret, `app:${app}`),
    peekApp: (id, app) => peek(id, `app:${app}`),
    peekPortal: (id) => peek(id, 'portal'),
    alive: async (id) => {
      const known = cache.root(id);
      if (known) return known.expiresAtMs > clock.nowMs() && person(known.person);
      const endings = cache.endings();
      const found = await root(id);
      if (found) cache.putRoot(id, found, endings);
      return found !== null;
    },
    list: shown,
    end: (session) => endRoots(session.person, new Set([session.root])),
    endListed: async (owner, id) => {
      const found = (await list(owner)).find((each) => each.id === id);
      if (found) await endRoots(owner, new Set([found.root]));
      return found !== undefined;
    },
    renew: async (owner, id) => {
      const found = (await list(owner)).find((each) => each.id === id);
      if (!found || !person(owner)) return null;
      const { admin, createdAtMs, method, address, agent } = found;
      const opened = newSession(clock, { person: owner, admin, root: null, createdAtMs });
      await store.putSession({ ...rowOf(opened.session, 'portal', clock.nowMs()), method, address, agent });
      await endRoots(owner, new Set([found.root]));
      return { ...opened, session: marked(opened.session) };
    },
    endAll,
    letGo,
    onEnd: endings.add,
    onPresence: presence.add,
  };
}

interface LookupDeps {
  readonly store: Pick<Store, 'session' | 'touchSession'>;
  readonly clock: Clock;
  readonly cache: SessionCache;
  readonly person: (usuario: string) => boolean;
  readonly isAdmin: (usuario: string) => boolean;
}

/** Sessions by their cookies. */
function createLookup({ store, clock, cache, person, isAdmin }: LookupDeps) {
  // An app's session never holds admin: the app's page is not the admin.
  const marked = (session: Session): Session =>
    session.admin || session.id !== session.root || !isAdmin(session.person) ? session : { ...session, admin: true };
  const peek = (id: string, audience: string): Session | undefined => {
    const known = cache.get(id, audience);
    return known && person(known.person) ? ownedBy(marked(known)) : undefined;
  };
  const root = async (id: string): Promise<StoredSession | null> => {
    const stored = await store.session(id, clock.nowMs());
    return stored?.audience === 'portal' && person(stored.person) ? stored : null;
  };
  const find = async (secret: string | null, audience: string): Promise<Session | null> => {
    if (secret === null) return null;
    const [id, endings] = [secretHash(secret), cache.endings()];
    const known = peek(id, audience);
    if (known) return known;
    const stored = await store.session(id, clock.nowMs());
    const session = stored && (await verified(stored, audience, { store, clock, root }));
    if (session) cache.put(id, audience, session, endings);
    return session && ownedBy(marked(session));
  };
  return { peek, find, root, marked };
}

/** Ends of sessions are published to the other portals of the store, and their ends are applied here. */
function shareEndings(
  bus: OthersBus,
  cache: Pick<SessionCache, 'forget'>,
  emit: (session: string) => void,
): (tokenHashes: readonly string[]) => void {
  const endHere = (tokenHashes: readonly string[]): void => {
    for (const tokenHash of tokenHashes) emit(tokenHash);
  };
  bus.onHeard((edge) => {
    if (edge.kind !== 'sessions') return;
    cache.forget(edge.ended);
    endHere(edge.ended);
  });
  return (tokenHashes) => {
    endHere(tokenHashes);
    bus.tellOthers({ kind: 'sessions', ended: tokenHashes });
  };
}

interface ListDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly cache: SessionCache;
  readonly isAdmin: (person: string) => boolean;
  readonly ended: (tokenHashes: readonly string[]) => void;
  readonly letGo: (session: string) => void;
  readonly left: (person: string) => void;
}

/** The portal sessions of a person, and their end. */
function createList({ store, clock, cache, isAdmin, ended, letGo, left }: ListDeps) {
  const list = async (owner: string): Promise<readonly SessionView[]> =>
    (await store.sessionsOf(owner, clock.nowMs()))
      .filter(({ audience }) => audience === 'portal')
      .map(viewOf)
      .sort((a, b) => b.seenAtMs - a.seenAtMs);
  const endRoots = async (owner: string, roots: ReadonlySet<string>): Promise<void> => {
    const all = await store.sessionsOf(owner, clock.nowMs());
    const found = all.filter((each) => roots.has(each.tokenHash) || roots.has(rootOf(each) ?? ''));
    const tokenHashes = [...new Set([...roots, ...found.map(({ tokenHash }) => tokenHash)])];
    cache.forget(tokenHashes);
    await Promise.all(tokenHashes.map((tokenHash) => store.deleteSession(tokenHash)));
    cache.forget(tokenHashes);
    ended(tokenHashes);
    left(owner);
  };
  const endAll = async (owner: string, keep?: string): Promise<number> => {
    const roots = (await list(owner)).map((each) => each.root).filter((each) => each !== keep);
    if (roots.length > 0) await endRoots(owner, new Set(roots));
    return roots.length;
  };
  const shown = async (owner: string): Promise<readonly SessionView[]> => {
    const all = await list(owner);
    return isAdmin(owner) ? all.map((each) => Object.assign(each, { admin: true })) : all;
  };
  const letAllGo = async (owner: string): Promise<void> => {
    for (const { root } of await list(owner)) letGo(root);
  };
  return { list, shown, endRoots, endAll, letGo: letAllGo };
}

interface NewSession {
  readonly person: string;
  readonly admin: boolean;
  readonly root: StoredSession | null;
  /** Now by default. */
  readonly createdAtMs?: number;
}

function newSession(clock: Clock, of: NewSession): Opened {
  const secret = newSecret();
  const id = secretHash(secret);
  const createdAtMs = of.createdAtMs ?? clock.nowMs();
  const session: Session = {
    person: of.person,
    admin: of.admin,
    id,
    root: of.root?.tokenHash ?? id,
    createdAtMs,
    expiresAtMs: expiryOf(of.root?.createdAtMs ?? createdAtMs, clock.nowMs()),
  };
  return { secret, session };
}

/** Idle for so long, or signed in for so long: over. */
function expiryOf(signedInAtMs: number, nowMs: number): number {
  return Math.min(nowMs + limits.sessionMs, signedInAtMs + limits.sessionAgeMsMax);
}

function rowOf({ person, admin, id, createdAtMs, expiresAtMs }: Session, audience: string, seenAtMs: number): StoredSession {
  return { tokenHash: id, person, admin, audience, createdAtMs, expiresAtMs, seenAtMs, method: '', address: '', agent: '' };
}

/** Cuts a client's description of itself to one short line without control characters. */
function cut({ method, address, agent }: SignInSource): SignInSource {
  const line = (text: string, charsMax: number): string => text.replaceAll(/[^\x20-\x7e\u00a0-\uffff]/g, '').slice(0, charsMax);
  return { method, address: line(address, limits.sessionAddressCharsMax), agent: line(agent, limits.sessionAgentCharsMax) };
}

function viewOf({ tokenHash, admin, createdAtMs, seenAtMs, expiresAtMs, method, address, agent }: StoredSession): SessionView {
  const seen = Math.max(seenAtMs, createdAtMs);
  const id = shortHash(tokenHash);
  return { id, root: tokenHash, admin, createdAtMs, seenAtMs: seen, expiresAtMs, method: method || 'link', address, agent };
}

function rootOf({ audience }: StoredSession): string | undefined {
  return audience.split('@')[1];
}

function createListeners() {
  const listeners = new Set<(value: string) => void>();
  return {
    add: (listener: (value: string) => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    emit: (value: string): void => {
      for (const listener of listeners) listener(value);
    },
  };
}

interface Verifier {
  readonly store: Pick<Store, 'touchSession'>;
  readonly clock: Clock;
  readonly root: (id: string) => Promise<StoredSession | null>;
}

async function verified(stored: StoredSession, audience: string, verifier: Verifier): Promise<Session | null> {
  const { person, admin, tokenHash, createdAtMs } = stored;
  if (audience === 'portal') {
    const own = stored.audience === 'portal' ? await verifier.root(tokenHash) : null;
    if (!own) return null;
    return { person, admin, id: tokenHash, root: tokenHash, createdAtMs, expiresAtMs: await used(stored, own, verifier) };
  }
  const [app, rootId] = stored.audience.split('@');
  if (`app:${app}` !== audience || rootId === undefined) return null;
  const parent = await verifier.root(rootId);
  if (parent?.person !== person) return null;
  await used(parent, parent, verifier);
  return { person, admin: false, id: tokenHash, root: rootId, createdAtMs, expiresAtMs: await used(stored, parent, verifier) };
}

/** Writes the use down when the last one that was is old enough. Answers when the session ends now. */
async function used(stored: StoredSession, root: StoredSession, { store, clock }: Verifier): Promise<number> {
  const nowMs = clock.nowMs();
  // A clock that was set back is no use in the future.
  if (nowMs - stored.seenAtMs < limits.sessionSeenMs) return stored.expiresAtMs;
  const expiresAtMs = Math.max(stored.expiresAtMs, expiryOf(root.createdAtMs, nowMs));
  await store.touchSession(stored.tokenHash, nowMs, expiresAtMs);
  return expiresAtMs;
}
