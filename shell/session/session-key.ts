/**
 * The key by which this browser gets its session back when its cookie is gone: a page below the portal's name can throw away every cookie of the name,
 * but not what the shell's origin stores. The private key can't be read out, here neither; the portal's ticket binds it to the session.
 * Decision: docs/decisions/0122-a-session-outlives-its-cookie.md
 */
import { deleteDB, openDB, type IDBPDatabase } from 'idb';
import type { ComeBackAnswer, SessionAnswer } from '../../schema/wire/http.ts';
import { ApiError, json, request, signOut } from './api.ts';
import { keptInTab } from '../state/kept.ts';

interface Kept {
  /** Id of the session. */
  readonly sessao: string;
  readonly bilhete: string;
  /** Public key, SPKI in base64url. */
  readonly chave: string;
  readonly secreta: CryptoKey;
}

const database = 'svc.sessao';
const shelf = 'chave';
const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const;
/** If cookies are deleted again and again, it gives up. */
const comebacksMax = 3;
const comebacksMs = 60_000;
const comebacksKey = 'svc.voltas';

/** On plain http under another name than localhost browsers have none of it. */
const isPossible = (): boolean => isSecureContext && 'locks' in navigator && 'indexedDB' in globalThis;

/** One page of the origin at a time, with the shelf open. */
async function alone<T>(act: (db: IDBPDatabase) => Promise<T>): Promise<T> {
  return await navigator.locks.request(database, async () => await withShelf(act));
}

async function withShelf<T>(act: (db: IDBPDatabase) => Promise<T>): Promise<T> {
  const db = await openDB(database, 1, { upgrade: (fresh) => void fresh.createObjectStore(shelf) });
  try {
    return await act(db);
  } finally {
    db.close();
  }
}

const kept = async (db: IDBPDatabase): Promise<Kept | undefined> => (await db.get(shelf, shelf)) as Kept | undefined;

/** After each sign-in. A browser that stores nothing goes without. */
export async function keepSession({ sessao }: SessionAnswer): Promise<void> {
  if (!isPossible()) return;
  await alone(async (db) => {
    if ((await kept(db))?.sessao === sessao) return;
    const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']);
    const chave = encoded(await crypto.subtle.exportKey('spki', pair.publicKey));
    const { bilhete } = await json<{ readonly bilhete: string }>(await request('POST', '/api/sessao/chave', { chave }));
    await db.put(shelf, { sessao, bilhete, chave, secreta: pair.privateKey } satisfies Kept, shelf);
  });
}

/** The session that lost its cookie; null when there is none to come back to. `whoAmI` is asked first: another page may have been quicker. */
export async function comeBack(whoAmI: () => Promise<SessionAnswer | null>): Promise<SessionAnswer | null> {
  if (!isPossible() || !(await indexedDB.databases()).some(({ name }) => name === database)) return null;
  return await alone(async (db) => {
    const own = await kept(db);
    if (own === undefined) return null;
    const session = await whoAmI();
    if (session !== null) return session;
    if (!mayComeBack(keptInTab, Date.now())) return null;
    try {
      const { sessao, bilhete } = await json<ComeBackAnswer>(await request('POST', '/api/sessao/volta', await proofOf(own)));
      // At once: the cookie may be thrown away again before the page asks for anything else.
      await db.put(shelf, { ...own, sessao: sessao.sessao, bilhete } satisfies Kept, shelf);
      return sessao;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      // It was ended elsewhere.
      await db.delete(shelf, shelf);
      return null;
    }
  });
}

/** What the key answers to a question of the portal. */
async function proofOf({ bilhete, chave, secreta }: Kept): Promise<object> {
  const { pergunta } = await json<{ readonly pergunta: string }>(await request('GET', '/api/sessao/volta'));
  const signed = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, secreta, new TextEncoder().encode(pergunta));
  return { bilhete, chave, pergunta, assinatura: encoded(signed) };
}

/**
 * Signing out. The key says which session is meant, as its cookie may have been thrown away; it goes once the session has ended, and stays when
 * that failed: a session that lives without cookie and key could be ended only from elsewhere.
 */
export async function endSessionAndKey(): Promise<void> {
  if (!isPossible()) return await signOut();
  await navigator.locks.request(database, async () => {
    const own = await withShelf(kept).catch(() => undefined);
    await signOut(own && (await proofOf(own))).catch((error: unknown) => {
      // It had ended before.
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
    });
    await deleteDB(database).catch(() => undefined);
  });
}

/** Counts this one; false when there were too many of late. Exported for its test. */
export function mayComeBack(storage: Pick<Storage, 'getItem' | 'setItem'>, nowMs: number): boolean {
  const times = (storage.getItem(comebacksKey) ?? '').split(' ').filter(Boolean).map(Number);
  const lately = times.filter((atMs) => atMs > nowMs - comebacksMs && atMs <= nowMs);
  if (lately.length >= comebacksMax) return false;
  storage.setItem(comebacksKey, [...lately, nowMs].join(' '));
  return true;
}

function encoded(bytes: ArrayBuffer): string {
  return btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
