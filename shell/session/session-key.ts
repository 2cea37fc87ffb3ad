/**
 * The key by which this browser gets its session back when its cookie is gone: a page below the portal's name can throw away every cookie of the name,
 * but not what the shell's origin stores. The private key can't be read out, here neither; the portal's ticket binds it to the session.
 * Decision: docs/decisions/0122-a-session-outlives-its-cookie.md
 */
import type { IDBPDatabase } from 'idb';
import type { PartOf } from '../../schema/routes/call.ts';
import type { SessionAnswer } from '../../schema/wire/http.ts';
import { ApiError, call, signOut } from './api.ts';
import { toBase64url } from './base64url.ts';
import { dropDatabase, hasDatabase, inDatabase } from '../state/database.ts';
import { inTime } from '../state/in-time.ts';
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

/** Another tab may ask the portal meanwhile; one that hangs is not waited for. */
const lockMsMax = 10_000;
const cryptoMsMax = 5_000;

/** On plain http under another name than localhost browsers have none of it. */
const isPossible = (): boolean => isSecureContext && 'locks' in navigator && 'indexedDB' in globalThis && 'subtle' in crypto;

/** Runs an act in one page of the origin at a time. Rejects when the browser does not grant this page its turn. */
async function alone<T>(act: () => Promise<T>): Promise<T> {
  const turn = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const held = navigator.locks.request(database, async () => {
    turn.resolve();
    await over.promise;
  });
  try {
    await inTime(Promise.race([turn.promise, held]), lockMsMax, database);
    return await act();
  } finally {
    over.resolve();
    held.catch(() => undefined);
  }
}

const inShelf = <T>(act: (db: IDBPDatabase) => Promise<T>): Promise<T> =>
  inDatabase<unknown, T>(database, (fresh) => void fresh.createObjectStore(shelf), act);
const readKept = async (): Promise<Kept | undefined> => (await inShelf((db) => db.get(shelf, shelf))) as Kept | undefined;
const writeKept = async (kept: Kept): Promise<void> => void (await inShelf((db) => db.put(shelf, kept, shelf)));
const signing = <T>(done: Promise<T>): Promise<T> => inTime(done, cryptoMsMax, 'crypto.subtle');

/** After each sign-in. A browser that stores nothing goes without. */
export async function keepSession({ sessao }: SessionAnswer): Promise<void> {
  if (!isPossible()) return;
  await alone(async () => {
    if ((await readKept())?.sessao === sessao) return;
    const pair = await signing(crypto.subtle.generateKey(algorithm, false, ['sign', 'verify']));
    const chave = toBase64url(await signing(crypto.subtle.exportKey('spki', pair.publicKey)));
    const { bilhete } = await call('POST /api/sessao/chave', { body: { chave } });
    await writeKept({ sessao, bilhete, chave, secreta: pair.privateKey });
  });
}

/** The session that lost its cookie; null when there is none to come back to. `whoAmI` is asked first: another page may have been quicker. */
export async function comeBack(whoAmI: () => Promise<SessionAnswer | null>): Promise<SessionAnswer | null> {
  if (!isPossible() || !(await hasDatabase(database))) return null;
  return await alone(async () => {
    const own = await readKept();
    if (own === undefined) return null;
    const session = await whoAmI();
    if (session !== null) return session;
    const count = nextComeback(keptInTab, Date.now());
    if (count === null) return null;
    try {
      const { sessao, bilhete } = await call('POST /api/sessao/volta', { body: await proofOf(own) });
      // Only now: one whose answer is lost is tried again later.
      count();
      // At once: the cookie may be thrown away again before the page asks for anything else. Where the browser does not store it, the ticket of before is good.
      await writeKept({ ...own, sessao: sessao.sessao, bilhete }).catch(() => undefined);
      return sessao;
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
      // It was ended elsewhere.
      await inShelf((db) => db.delete(shelf, shelf));
      return null;
    }
  });
}

/** The key's signed answer to the portal's challenge. */
async function proofOf({ bilhete, chave, secreta }: Kept): Promise<PartOf<'POST /api/sessao/volta', 'body'>> {
  const { pergunta } = await call('GET /api/sessao/volta');
  const signed = await signing(crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, secreta, new TextEncoder().encode(pergunta)));
  return { bilhete, chave, pergunta, assinatura: toBase64url(signed) };
}

/**
 * Signing out. The key says which session is meant, as its cookie may have been thrown away; it goes once the session has ended, and stays when
 * that failed: a session that lives without cookie and key could be ended only from elsewhere.
 */
export async function endSessionAndKey(): Promise<void> {
  if (!isPossible()) return await signOut();
  let isTurn = false;
  const end = async (): Promise<void> => {
    isTurn = true;
    const own = await readKept().catch(() => undefined);
    const proof = own && (await proofOf(own).catch(nullUnlessOfPortal));
    await signOut(proof ?? undefined).catch((error: unknown) => {
      // It had ended before.
      if (!(error instanceof ApiError) || error.status !== 401) throw error;
    });
    await dropDatabase(database).catch(() => undefined);
  };
  // A browser that gives no turn does not keep a person in.
  await alone(end).catch(async (error: unknown) => {
    if (isTurn) throw error;
    await end();
  });
}

/** A browser that does not sign leaves the cookie to say whose session ends. */
function nullUnlessOfPortal(error: unknown): null {
  if (error instanceof ApiError) throw error;
  return null;
}

/** Returns what counts the comeback once it has succeeded; null when there were too many of late. Exported for its test. */
export function nextComeback(storage: Pick<Storage, 'getItem' | 'setItem'>, nowMs: number): (() => void) | null {
  const times = (storage.getItem(comebacksKey) ?? '').split(' ').filter(Boolean).map(Number);
  const lately = times.filter((atMs) => atMs > nowMs - comebacksMs && atMs <= nowMs);
  if (lately.length >= comebacksMax) return null;
  return () => storage.setItem(comebacksKey, [...lately, nowMs].join(' '));
}
