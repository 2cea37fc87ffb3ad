/**
 * Who a request is from. A portal session belongs to the shell's origin; an app session belongs to one app's origin, was handed
 * over by a pass and lives only as long as the portal session it came from.
 * Decisions: docs/decisions/0003-sessions-and-passes.md, 0036-session-cookie.md
 */
import type { Store, StoredSession } from '../../controller/store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from '../../schema/limits.ts';
import { newSecret, secretHash } from './secrets.ts';

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

export interface Sessions {
  /** A new portal session; `secret` is the cookie's value. */
  open(person: string, admin: boolean): Promise<{ readonly secret: string; readonly session: Session }>;
  openForApp(person: string, app: string, root: string): Promise<{ readonly secret: string; readonly session: Session } | null>;
  portal(secret: string | null): Promise<Session | null>;
  app(secret: string | null, app: string): Promise<Session | null>;
  /** Answer of `app` when it is known without asking the store: for the hot path. Undefined: ask. */
  peekApp(secret: string, app: string): Session | undefined;
  peekPortal(secret: string): Session | undefined;
  /** The session, by its id, is still good. */
  alive(root: string): Promise<boolean>;
  /** Prolongs a portal session that is older than a day; true when the cookie must be set again. */
  renew(session: Session): Promise<Session | null>;
  /** Ends a portal session and every app session that came from it. */
  end(session: Session): Promise<void>;
  /** Told the ids of sessions that ended before their time. */
  onEnd(listener: (session: string) => void): () => void;
  /** A person signed in or out: whether anybody of that name is here may have changed. */
  onPresence(listener: (person: string) => void): () => void;
}

/** Answers of the store, kept for limits.sessionCacheMs: the proxy asks at every request. */
interface SessionCache {
  get(secret: string, audience: string): Session | undefined;
  /** `endings` as read before the store was asked: what was read before an ending is not kept after it. */
  put(secret: string, audience: string, session: Session, endings: number): void;
  endings(): number;
  /** Called before and after the sessions are deleted. */
  forget(tokenHashes: readonly string[]): void;
}

function createSessionCache(clock: Clock): SessionCache {
  const cache = new Map<string, { readonly session: Session; readonly audience: string; readonly untilMonotonicMs: number }>();
  let endings = 0;
  return {
    get: (secret, audience) => {
      const cached = cache.get(secretHash(secret));
      if (cached?.audience !== audience || cached.untilMonotonicMs <= clock.monotonicMs()) return undefined;
      return cached.session.expiresAtMs > clock.nowMs() ? cached.session : undefined;
    },
    put: (secret, audience, session, endingsBefore) => {
      if (endings !== endingsBefore) return;
      if (cache.size >= limits.sessionCacheEntriesMax) cache.clear();
      cache.set(secretHash(secret), { session, audience, untilMonotonicMs: clock.monotonicMs() + limits.sessionCacheMs });
    },
    endings: () => endings,
    forget: (tokenHashes) => {
      endings += 1;
      for (const tokenHash of tokenHashes) cache.delete(tokenHash);
    },
  };
}

export function appAudience(app: string, root: string): string {
  return `${app}@${root}`;
}

/** `person` says whether somebody still exists: a removed person's sessions are worth nothing. */
export function createSessions(store: Store, clock: Clock, person: (usuario: string) => boolean): Sessions {
  const cache = createSessionCache(clock);
  const endings = createListeners();
  const presence = createListeners();

  const peek = (secret: string, audience: string): Session | undefined => {
    const known = cache.get(secret, audience);
    return known && person(known.person) ? known : undefined;
  };
  const root = async (id: string): Promise<StoredSession | null> => {
    const stored = await store.session(id, clock.nowMs());
    return stored?.audience === 'portal' && person(stored.person) ? stored : null;
  };
  const find = async (secret: string | null, audience: string): Promise<Session | null> => {
    if (secret === null) return null;
    const known = peek(secret, audience);
    if (known) return known;
    const endings = cache.endings();
    const stored = await store.session(secretHash(secret), clock.nowMs());
    const session = stored && (await verified(stored, audience, root));
    if (session) cache.put(secret, audience, session, endings);
    return session;
  };
  const put = ({ person: owner, admin, id, createdAtMs, expiresAtMs }: Session, audience: string): Promise<void> =>
    store.putSession({ tokenHash: id, person: owner, admin, audience, createdAtMs, expiresAtMs });

  return {
    open: async (owner, admin) => {
      const secret = newSecret();
      const id = secretHash(secret);
      const createdAtMs = clock.nowMs();
      const session: Session = { person: owner, admin, id, root: id, createdAtMs, expiresAtMs: createdAtMs + limits.sessionMs };
      await put(session, 'portal');
      presence.tell(owner);
      return { secret, session };
    },
    openForApp: async (owner, app, rootId) => {
      const parent = await root(rootId);
      if (parent?.person !== owner) return null;
      const secret = newSecret();
      const createdAtMs = clock.nowMs();
      const expiresAtMs = createdAtMs + limits.sessionMs;
      // An app's session never holds admin: the app's page is not the admin.
      const session: Session = { person: owner, admin: false, id: secretHash(secret), root: rootId, createdAtMs, expiresAtMs };
      await put(session, appAudience(app, rootId));
      return { secret, session };
    },
    portal: (secret) => find(secret, 'portal'),
    app: (secret, app) => find(secret, `app:${app}`),
    peekApp: (secret, app) => peek(secret, `app:${app}`),
    peekPortal: (secret) => peek(secret, 'portal'),
    alive: async (id) => (await root(id)) !== null,
    renew: async (session) => {
      const expiresAtMs = Math.min(clock.nowMs() + limits.sessionMs, session.createdAtMs + limits.sessionAgeMsMax);
      // Signed out meanwhile: it stays so.
      if (expiresAtMs - session.expiresAtMs < limits.sessionRenewAfterMs || !(await root(session.id))) return null;
      const renewed = { ...session, expiresAtMs };
      await put(renewed, 'portal');
      return renewed;
    },
    end: async (session) => {
      const all = await store.sessionsOf(session.person, clock.nowMs());
      const ended = all.filter((each) => each.tokenHash === session.root || each.audience.endsWith(`@${session.root}`));
      const tokenHashes = ended.map(({ tokenHash }) => tokenHash);
      cache.forget(tokenHashes);
      await Promise.all(tokenHashes.map((tokenHash) => store.deleteSession(tokenHash)));
      cache.forget(tokenHashes);
      for (const tokenHash of tokenHashes) endings.tell(tokenHash);
      presence.tell(session.person);
    },
    onEnd: endings.add,
    onPresence: presence.add,
  };
}

function createListeners() {
  const listeners = new Set<(value: string) => void>();
  return {
    add: (listener: (value: string) => void): (() => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tell: (value: string): void => {
      for (const listener of listeners) listener(value);
    },
  };
}

async function verified(
  stored: StoredSession,
  audience: string,
  root: (id: string) => Promise<StoredSession | null>,
): Promise<Session | null> {
  const { person, admin, tokenHash, createdAtMs, expiresAtMs } = stored;
  if (audience === 'portal') {
    if (stored.audience !== 'portal' || !(await root(tokenHash))) return null;
    return { person, admin, id: tokenHash, root: tokenHash, createdAtMs, expiresAtMs };
  }
  const [app, rootId] = stored.audience.split('@');
  if (`app:${app}` !== audience || rootId === undefined) return null;
  const parent = await root(rootId);
  return parent?.person === person ? { person, admin: false, id: tokenHash, root: rootId, createdAtMs, expiresAtMs } : null;
}
