/**
 * Passkeys (WebAuthn): made by a person who is signed in, used without a name. The relying party is the portal's own host name, and an answer counts only
 * from a page of the portal's origin: a browser lets pages of apps below that name ask for it, too. Decision: docs/decisions/0384-passkeys.md
 */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { PasskeyAnswer, PasskeyMade, PasskeyQuestion, PasskeyRequest, PasskeyRow } from '../../schema/wire/passkeys.ts';
import type { PasskeyStore, StoredPasskey } from '../../store/store.ts';
import { limits as storeLimits } from '../../store/limits.ts';
import type { Site } from '../http/hosts.ts';
import { limits as apiLimits } from '../limits.ts';
import { networkOf } from './client-address.ts';
import { limited } from './guess-guard.ts';
import type { KeyRing } from './key-rings.ts';
import { createLeakyCells } from './leaky-cells.ts';
import { limits } from './limits.ts';
import { createChallenges } from './passkey-challenges.ts';
import { handleOf, readMade, verified, type Right } from './passkey-proofs.ts';
import { shortHash } from './secrets.ts';
import type { Session, Sessions } from './sessions.ts';

/** `isBehind`: the answer is right, and its counter is not larger than the one before. */
export interface CheckedPasskey {
  readonly person: string;
  readonly isBehind: boolean;
}

export interface Passkeys {
  /** Says the document in force, where the portal has origins for apps. */
  isOffered(): boolean;
  question(): PasskeyQuestion;
  /** Rejects PASSKEY_REFUSED, RATE_LIMITED, SIGN_IN_METHOD. Uses the answer up. */
  check(address: string, answer: PasskeyAnswer): Promise<CheckedPasskey>;
  list(person: string): Promise<readonly PasskeyRow[]>;
  /** Whether the session may make one: it is young, or came by a link and the person has none. */
  mayMake(session: Session): Promise<boolean>;
  /** Rejects SIGN_IN_METHOD, SIGN_IN_AGAIN, PASSKEYS_MANY. */
  request(session: Session): Promise<PasskeyRequest>;
  /** Rejects as `request`, and PASSKEY_REFUSED. */
  make(session: Session, name: string, made: PasskeyMade): Promise<PasskeyRow>;
  /** By the id of the list. Reject NOT_FOUND. */
  rename(person: string, id: string, name: string): Promise<void>;
  /** Ends the sessions that any passkey of theirs opened, but for this one; answers how many. */
  remove(session: Session, id: string): Promise<number>;
  /** For an administrator. */
  forget(person: string): Promise<void>;
}

export interface PasskeyDeps {
  readonly site: Site;
  readonly clock: Clock;
  readonly ring: KeyRing;
  readonly people: Pick<PeopleView, 'find' | 'signIn'>;
  readonly store: PasskeyStore;
  readonly sessions: Pick<Sessions, 'list' | 'endListed'>;
}

/** Ed25519, ES256 and RS256: what authenticators have. */
const algorithms = [-8, -7, -257];

/** The same for every wrong answer, so that nobody learns which passkeys there are. */
export const passkeyRefused = (): SvcError => new SvcError('PASSKEY_REFUSED', 'this passkey does not sign in here');

export function createPasskeys(deps: PasskeyDeps): Passkeys {
  const { site, clock, people, store, sessions } = deps;
  const challenges = createChallenges(deps.ring, clock, store);
  const isOffered = (): boolean => people.signIn().passkey && site.origins === 'subdomain';
  const mayMake = async ({ person, root, createdAtMs }: Session): Promise<boolean> => {
    if (clock.nowMs() - createdAtMs < limits.passkeyRecentMs) return true;
    const own = (await sessions.list(person)).find((each) => each.root === root);
    return own?.method === 'link' && (await store.passkeys(person)).length === 0;
  };
  const permit = async (session: Session): Promise<readonly StoredPasskey[]> => {
    if (!isOffered()) throw noSuchWay();
    if (!(await mayMake(session))) throw new SvcError('SIGN_IN_AGAIN', 'a passkey is made soon after a sign-in; sign out, and in again');
    const all = await store.passkeys(session.person);
    if (all.length >= storeLimits.passkeysPerPersonMax) throw tooMany();
    return all;
  };
  const found = async (person: string, id: string): Promise<StoredPasskey> => {
    const one = (await store.passkeys(person)).find((each) => shortHash(each.id) === id);
    if (!one) throw new SvcError('NOT_FOUND', 'no such passkey of yours');
    return one;
  };
  const common = { rpId: site.hostname, timeout: limits.passkeyChallengeMs };
  return {
    isOffered,
    mayMake,
    check: createCheck(deps, isOffered, challenges),
    question: () => {
      if (!isOffered()) throw noSuchWay();
      return { ...common, challenge: challenges.give('passkey enter', ''), userVerification: 'required' };
    },
    list: async (person) => (await store.passkeys(person)).map(rowOf),
    request: async (session) => {
      const all = await permit(session);
      const { login = session.person, nome = session.person } = people.find(session.person) ?? {};
      return {
        challenge: challenges.give('passkey make', bindingOf(session)),
        rp: { id: site.hostname, name: site.host },
        user: { id: handleOf(session.person), name: login, displayName: nome },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key' as const, alg })),
        excludeCredentials: all.map(({ id, transports }) => ({ type: 'public-key' as const, id, transports: [...transports] })),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
        timeout: common.timeout,
      };
    },
    make: async (session, name, made) => {
      await permit(session);
      const isOwn = (challenge: string): boolean => challenges.isOwn(challenge, 'passkey make', bindingOf(session));
      const right = await readMade(site, made, { isOwn, algorithms });
      if (right === null || !(await challenges.spend(right.challenge))) throw passkeyRefused();
      const { id, publicKey, counter, isBackedUp } = right;
      const row = { id, person: session.person, publicKey, counter, isBackedUp, transports: [...made.transports], name };
      const stored: StoredPasskey = { ...row, madeAtMs: clock.nowMs(), usedAtMs: 0 };
      const verdict = await store.addPasskey(stored);
      if (verdict === 'many') throw tooMany();
      if (verdict === 'taken') throw passkeyRefused();
      return rowOf(stored);
    },
    rename: async (person, id, name) => void (await store.renamePasskey(person, (await found(person, id)).id, name)),
    remove: async ({ person, root }, id) => {
      await store.deletePasskey(person, (await found(person, id)).id);
      const opened = (await sessions.list(person)).filter((each) => each.method === 'passkey' && each.root !== root);
      for (const each of opened) await sessions.endListed(person, each.id);
      return opened.length;
    },
    forget: async (person) => await store.deletePasskeysOf(person),
  };
}

/** An answer to a question of this portal, from anybody. Failures count by address alone: nobody guesses a passkey, and a bound for all would let a stranger keep everybody out. */
function createCheck(
  { site, clock, people, store }: PasskeyDeps,
  isOffered: () => boolean,
  challenges: ReturnType<typeof createChallenges>,
): Passkeys['check'] {
  const addresses = createLeakyCells(clock, { burst: limits.signInAddressFailures, refillMs: limits.signInAddressRefillMs });
  let underCheck = 0;
  const rightOf = async (answer: PasskeyAnswer): Promise<(Right & { readonly person: string }) | null> => {
    const known = await store.passkey(answer.id);
    if (known === null || people.find(known.person) === null) return null;
    const right = await verified(site, answer, { known, isOwn: (challenge) => challenges.isOwn(challenge, 'passkey enter', '') });
    if (right === null || !(await challenges.spend(right.challenge))) return null;
    return { ...right, person: known.person };
  };
  return async (address, answer) => {
    if (!isOffered()) throw noSuchWay();
    if (underCheck >= apiLimits.signInsMax) throw limited(sharedLimits.signInBusyRetryMs);
    const network = networkOf(address);
    const waitMs = addresses.waitMs(network);
    if (waitMs > 0) throw limited(waitMs);
    addresses.add(network);
    underCheck += 1;
    try {
      const right = await rightOf(answer);
      if (right === null) throw passkeyRefused();
      const { counter, isBackedUp, person } = right;
      const isUsed = await store.usePasskey(answer.id, { counter, isBackedUp, usedAtMs: clock.nowMs() });
      // Removed meanwhile.
      if (!isUsed && (await store.passkey(answer.id)) === null) throw passkeyRefused();
      addresses.takeBack(network);
      return { person, isBehind: !isUsed };
    } finally {
      underCheck -= 1;
    }
  };
}

const bindingOf = ({ person, root }: Session): string => `${person} ${root}`;

function rowOf({ id, name, isBackedUp, madeAtMs, usedAtMs }: StoredPasskey): PasskeyRow {
  return { id: shortHash(id), nome: name, copiada: isBackedUp, criadaEm: madeAtMs, usadaEm: usedAtMs };
}

const noSuchWay = (): SvcError => new SvcError('SIGN_IN_METHOD', 'this portal takes no passkeys; ask for a sign-in link');
const tooMany = (): SvcError =>
  new SvcError('PASSKEYS_MANY', `a person has at most ${storeLimits.passkeysPerPersonMax} passkeys; remove one that is not used`);
