/**
 * A session that outlives its cookie. Any page below the portal's domain can make the browser delete the cookies of the whole domain; it
 * can't reach the storage of the shell's origin. There the shell keeps a private key that scripts can't export, and a ticket of the portal
 * that binds the key to the session. A request signed with that key gets the same session under a new cookie; signing out ends session,
 * ticket and key. Nothing is stored here: ticket and request carry their own proof. Remembered for as long as this portal runs is what the last
 * sessions that came back were before: the answer may be lost with a page that is loaded anew, whose ticket is the one of before. Decision:
 * docs/decisions/0122-a-session-outlives-its-cookie.md
 */
import { createHmac, createPublicKey, hash, randomBytes, timingSafeEqual, verify } from 'node:crypto';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { createTurns } from '../../schema/turns.ts';
import type { KeyRing } from './key-rings.ts';
import { shortHash } from './secrets.ts';
import type { Opened, Session, Sessions } from './sessions.ts';

export interface SessionKeys {
  /** The ticket for a session and a public key (P-256, SPKI in base64url). Rejects BAD_REQUEST for what is no such key. */
  bind(session: Session, key: string): Promise<string>;
  /** A text to be signed, good for limits.sessionQuestionMs. */
  question(): Promise<string>;
  /** The session of the ticket, renewed. Rejects UNAUTHENTICATED. */
  renew(answer: KeyAnswer): Promise<Opened>;
  /** Ends the session of the ticket. False when it had ended, or the answer proves nothing. */
  end(answer: KeyAnswer): Promise<boolean>;
}

export interface KeyAnswer {
  readonly bilhete: string;
  readonly chave: string;
  readonly pergunta: string;
  /** ECDSA with SHA-256 over the question, as WebCrypto gives it (IEEE P1363), base64url. */
  readonly assinatura: string;
}

/** By the ids of the list. */
interface ComeBack {
  readonly from: string;
  readonly to: string;
  /** Signed for it, and for nothing else. */
  readonly pergunta: string;
}

export function createSessionKeys(ring: KeyRing, clock: Clock, sessions: Pick<Sessions, 'renew' | 'endListed'>): SessionKeys {
  const seal = (what: 'ticket' | 'question', text: string, key = ring.current()): string =>
    `${text}~${createHmac('sha256', key).update(`${what}\n${text}`).digest('base64url')}`;
  const opened = (what: 'ticket' | 'question', sealed: string): readonly string[] | null => {
    const text = sealed.slice(0, Math.max(0, sealed.lastIndexOf('~')));
    const sent = Buffer.from(sealed);
    const isOurs = ring.all().some((key) => {
      const own = Buffer.from(seal(what, text, key));
      return own.length === sent.length && timingSafeEqual(own, sent);
    });
    return isOurs ? text.split('~') : null;
  };
  /** The session that an answer is good for, whether it lives or not. */
  const proven = ({ bilhete, chave, pergunta, assinatura }: KeyAnswer): { person: string; id: string } | null => {
    const [person, id, keyHash] = opened('ticket', bilhete) ?? [];
    const [askedAt] = opened('question', pergunta) ?? [];
    const ageMs = clock.nowMs() - parseInt(askedAt ?? '', 36);
    const isFresh = ageMs >= -sharedLimits.portalsSkewMsMax && ageMs < limits.sessionQuestionMs;
    const isBound = keyHash === hash('sha256', chave, 'base64url');
    if (person === undefined || id === undefined || !isFresh || !isBound || !isSigned(chave, pergunta, assinatura)) return null;
    return { person, id };
  };
  const comeBacks = new Map<string, readonly ComeBack[]>();
  /** The present id of a renewed session. The oldest renewals come first, so a single pass follows them. */
  const idNow = (person: string, id: string): string =>
    (comeBacks.get(person) ?? []).reduce((now, { from, to }) => (from === now ? to : now), id);
  const renewNamed = async (person: string, id: string, pergunta: string): Promise<Opened | null> => {
    const before = comeBacks.get(person) ?? [];
    if (before.some((each) => each.pergunta === pergunta)) return null;
    const from = idNow(person, id);
    const renewed = await sessions.renew(person, from);
    if (renewed)
      comeBacks.set(person, [...before, { from, to: shortHash(renewed.session.root), pergunta }].slice(-limits.sessionComeBacksMax));
    return renewed;
  };
  const inTurn = createTurns();
  return {
    bind: async (session, key) => {
      publicKeyOf(key);
      return seal('ticket', `${session.person}~${shortHash(session.root)}~${hash('sha256', key, 'base64url')}`);
    },
    question: async () => seal('question', `${clock.nowMs().toString(36)}~${randomBytes(16).toString('base64url')}`),
    renew: async (answer) => {
      const named = proven(answer);
      // The second of two renewals at once ends the session that the first one opened: one session stays one.
      const renewed = named && (await inTurn(named.person, () => renewNamed(named.person, named.id, answer.pergunta)));
      if (!renewed) throw refused();
      return renewed;
    },
    end: async (answer) => {
      const named = proven(answer);
      return named !== null && (await inTurn(named.person, () => sessions.endListed(named.person, idNow(named.person, named.id))));
    },
  };
}

function isSigned(key: string, text: string, signature: string): boolean {
  const asked = { key: publicKeyOf(key), dsaEncoding: 'ieee-p1363' } as const;
  return verify('sha256', Buffer.from(text), asked, Buffer.from(signature, 'base64url'));
}

function publicKeyOf(key: string): ReturnType<typeof createPublicKey> {
  try {
    const read = createPublicKey({ key: Buffer.from(key, 'base64url'), format: 'der', type: 'spki' });
    if (read.asymmetricKeyType === 'ec' && read.asymmetricKeyDetails?.namedCurve === 'prime256v1') return read;
  } catch {
    // Reported below.
  }
  throw new SvcError('BAD_REQUEST', 'chave: expected a P-256 public key as SPKI in base64url');
}

function refused(): SvcError {
  return new SvcError('UNAUTHENTICATED', 'the session of this key has ended: sign in');
}
