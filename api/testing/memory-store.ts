/** The part of the store that the api uses, in memory, for unit tests: same contract, same one-step `takePass`. */
import { createMemoryJobs } from '../../store/testing/memory-jobs.ts';
import { createMemoryRooms } from '../../store/testing/memory-rooms.ts';
import { limits } from '../../store/limits.ts';
import type {
  HeldRollback,
  InstallWish,
  PasskeyStore,
  Intent,
  Store,
  StoredAppError,
  StoredConsent,
  StoredEvent,
  StoredPass,
  StoredPasskey,
  StoredPreferences,
  StoredSession,
  StoredStatus,
  WindowCount,
  InForceRow,
} from '../../store/store.ts';

/** Nothing lies on a disk. */
const unclosed: Pick<Store, 'giveUp' | 'close'> = { giveUp: () => undefined, close: async () => undefined };

function presentIn(sessions: ReadonlyMap<string, StoredSession>, nowMs: number): ReadonlySet<string> {
  const present = [...sessions.values()].filter(({ audience, expiresAtMs }) => audience === 'portal' && expiresAtMs > nowMs);
  return new Set(present.map(({ person }) => person));
}

export function createMemoryStore(): Store {
  const intents = new Map<string, Intent>();
  const statuses = new Map<string, StoredStatus>();
  const events: StoredEvent[] = [];
  const sessions = new Map<string, StoredSession>();
  const windows = new Map<string, WindowCount>();
  const values = new Map<string, string>();
  const wishes = new Map<string, InstallWish>();
  const rollbacks = new Map<string, HeldRollback>();
  const inForce = new Map<string, InForceRow>();
  const key = (person: string, app: string): string => `${person}/${app}`;
  return {
    personal: async () => [],
    endPersonal: async () => undefined,
    putIntent: async (intent) => void intents.set(key(intent.person, intent.app), { ...intent, done: false }),
    intents: async () => [...intents.values()],
    intent: async (person, app) => intents.get(key(person, app)) ?? null,
    finishIntent: async (person, app, requestId) => {
      const intent = intents.get(key(person, app));
      if (intent?.requestId === requestId) intents.set(key(person, app), { ...intent, done: true });
    },
    putStatus: async (status) => void statuses.set(status.key, status),
    status: async (name) => statuses.get(name) ?? null,
    statuses: async (prefix) => [...statuses.values()].filter((status) => status.key.startsWith(prefix)),
    deleteStatus: async (name) => void statuses.delete(name),
    appendEvent: async (event) => events.push({ ...event, seq: events.length + 1 }),
    events: async (filter) => eventsOf(events, filter),
    putSession: async (session) => void sessions.set(session.tokenHash, session),
    touchSession: async (hash, seenAtMs, expiresAtMs) => {
      const session = sessions.get(hash);
      if (session && session.seenAtMs < seenAtMs) sessions.set(hash, { ...session, seenAtMs, expiresAtMs });
    },
    session: async (hash, nowMs) => {
      const session = sessions.get(hash);
      return session && session.expiresAtMs > nowMs ? session : null;
    },
    sessionsOf: async (person, nowMs) => [...sessions.values()].filter((each) => each.person === person && each.expiresAtMs > nowMs),
    present: async (nowMs) => presentIn(sessions, nowMs),
    deleteSession: async (hash) => void sessions.delete(hash),
    deleteSessionsOf: async (person) => {
      for (const [hash, session] of sessions) if (session.person === person) sessions.delete(hash);
    },
    ...createMemoryPasses(),
    putInstallWish: async (wish) => void wishes.set(key(wish.person, wish.app), wish),
    installWishes: async () => [...wishes.values()],
    installWish: async (person, app) => wishes.get(key(person, app)) ?? null,
    deleteInstallWish: async (person, app, requestId) => {
      if (wishes.get(key(person, app))?.requestId === requestId) wishes.delete(key(person, app));
    },
    putRollback: async (rollback) => void rollbacks.set(rollback.key, rollback),
    rollbacks: async () => [...rollbacks.values()],
    deleteRollback: async (name) => void rollbacks.delete(name),
    ...createMemoryAppErrors(),
    ...createMemoryPreferences(),
    ...createMemoryConsents(),
    putWindows: async (_portal, count) => void windows.set(key(count.person, count.app), count),
    closeWindows: async (_isOf, _portals, nowMs) => closeAll(windows, nowMs),
    windows: async () => [...windows.values()],
    windowsOf: async (person, app) => windows.get(key(person, app)) ?? null,
    inForce: async () => [...inForce.values()],
    changeInForce: async ({ put, gone }) => {
      for (const name of gone) inForce.delete(name);
      for (const row of put) inForce.set(row.name, row);
    },
    ...namedValues(values),
    rooms: createMemoryRooms(),
    jobs: createMemoryJobs(),
    ...unclosed,
  };
}

function createMemoryPasskeys(): PasskeyStore {
  const rows = new Map<string, StoredPasskey>();
  const spent = new Set<string>();
  const of = (person: string): readonly StoredPasskey[] => [...rows.values()].filter((each) => each.person === person);
  const own = (person: string, id: string): StoredPasskey | undefined => of(person).find((each) => each.id === id);
  return {
    addPasskey: async (row) => {
      if (of(row.person).length >= limits.passkeysPerPersonMax) return 'many';
      if (rows.has(row.id)) return 'taken';
      rows.set(row.id, row);
      return 'added';
    },
    passkeys: async (person) => of(person),
    passkey: async (id) => rows.get(id) ?? null,
    usePasskey: async (id, used) => {
      const row = rows.get(id);
      if (!row || (row.counter >= used.counter && row.counter + used.counter > 0)) return false;
      rows.set(id, { ...row, ...used });
      return true;
    },
    renamePasskey: async (person, id, name) => {
      const row = own(person, id);
      if (row) rows.set(id, { ...row, name });
      return row !== undefined;
    },
    deletePasskey: async (person, id) => own(person, id) !== undefined && rows.delete(id),
    deletePasskeysOf: async (person) => {
      for (const { id } of of(person)) rows.delete(id);
    },
    spendChallenge: async (hash) => !spent.has(hash) && spent.add(hash).has(hash),
  };
}

function createMemoryConsents(): Pick<
  Store,
  'putConsent' | 'noteConsentAsked' | 'consents' | 'consent' | 'deleteConsent' | 'keepConsents'
> {
  const rows = new Map<string, StoredConsent>();
  const key = ({ usuario, de, para, capacidade }: Pick<StoredConsent, 'usuario' | 'de' | 'para' | 'capacidade'>): string =>
    `${usuario} ${de} ${para} ${capacidade}`;
  return {
    putConsent: async (consent) => {
      const id = rows.get(key(consent))?.id ?? consent.id;
      rows.set(key(consent), { ...consent, id });
      return id;
    },
    noteConsentAsked: async (consent) => {
      const isNew = !rows.has(key(consent));
      if (isNew) rows.set(key(consent), { ...consent, resposta: 'pendente' });
      return isNew;
    },
    consents: async (usuario) => [...rows.values()].filter((row) => row.usuario === usuario).toSorted((a, b) => b.atMs - a.atMs),
    consent: async (asked) => rows.get(key(asked))?.resposta ?? null,
    deleteConsent: async (usuario, id) => {
      const row = [...rows.values()].find((each) => each.usuario === usuario && each.id === id) ?? null;
      if (row !== null) rows.delete(key(row));
      return row;
    },
    keepConsents: async (usuario, apps) => {
      for (const [at, row] of rows) if (row.usuario === usuario && !(apps.has(row.de) && apps.has(row.para))) rows.delete(at);
    },
  };
}

function createMemoryPasses(): Pick<Store, 'putPass' | 'pass' | 'takePass'> & PasskeyStore {
  const passes = new Map<string, StoredPass>();
  const look = (hash: string, nowMs: number): StoredPass | null => {
    const pass = passes.get(hash);
    return pass && pass.expiresAtMs > nowMs ? pass : null;
  };
  return {
    ...createMemoryPasskeys(),
    putPass: async (pass) => void passes.set(pass.passHash, pass),
    pass: async (hash, nowMs) => look(hash, nowMs),
    takePass: async (hash, nowMs) => {
      const pass = look(hash, nowMs);
      passes.delete(hash);
      return pass;
    },
  };
}

function createMemoryAppErrors(): Pick<Store, 'addAppErrors' | 'appErrors' | 'deleteAppErrorsOf'> {
  const groups = new Map<string, StoredAppError>();
  return {
    addAppErrors: async (errors) =>
      errors.map(({ atMs, ...error }) => {
        const key = `${error.usuario}/${error.app}/${error.id}`;
        const before = groups.get(key);
        const n = error.n + (before?.n ?? 0);
        groups.set(key, { ...error, n, primeiroEm: before?.primeiroEm ?? atMs, ultimoEm: atMs });
        return n;
      }),
    appErrors: async (usuario, app) =>
      [...groups.values()]
        .filter((group) => group.usuario === usuario && group.app === app)
        .toSorted((one, other) => other.ultimoEm - one.ultimoEm),
    deleteAppErrorsOf: async (usuario) => {
      for (const [key, group] of groups) if (group.usuario === usuario) groups.delete(key);
    },
  };
}

function createMemoryPreferences(): Pick<Store, 'preferences' | 'putPreferences' | 'deletePreferences'> {
  const preferences = new Map<string, StoredPreferences>();
  return {
    preferences: async (person) => preferences.get(person) ?? null,
    putPreferences: async (person, body, version) => {
      if ((preferences.get(person)?.version ?? 0) !== version) return false;
      preferences.set(person, { version: version + 1, body });
      return true;
    },
    deletePreferences: async (person) => void preferences.delete(person),
  };
}

/** As if all of them were of portals that went. */
function closeAll(windows: Map<string, WindowCount>, nowMs: number): readonly WindowCount[] {
  const open = [...windows].filter(([, count]) => count.open > 0);
  for (const [name, { person, app }] of open) windows.set(name, { person, app, open: 0, zeroSinceMs: nowMs });
  return open.map(([, count]) => count);
}

function namedValues(values: Map<string, string>): Pick<Store, 'value' | 'values' | 'putValue' | 'keepValue'> {
  return {
    value: async (name) => values.get(name) ?? null,
    values: async (prefix) => new Map([...values].filter(([name]) => name.startsWith(prefix))),
    putValue: async (name, value) => void values.set(name, value),
    keepValue: async (name, value) => {
      if (!values.has(name)) values.set(name, value);
      return values.get(name) ?? value;
    },
  };
}

function eventsOf(events: readonly StoredEvent[], { under = '', afterSeq = 0, limit }: Parameters<Store['events']>[0]) {
  const top = under.replace(/\/$/, '');
  return events.filter((event) => `${event.key}/`.startsWith(top && `${top}/`) && event.seq > afterSeq).slice(-limit);
}
