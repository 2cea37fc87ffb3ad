/**
 * The secrets of the portal that are kept in its store: what seals tickets and mandates, and what signs the tickets of sessions and the marks of browsers.
 * A ring has one that is used and those before it, each of which counts for as long as what was made with it may live. A new one is used two minutes after
 * it was kept, so that every portal of the store knows it by then. Decision: docs/decisions/0415-keys-are-changed-beside.md
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../schema/clock.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { createTurns } from '../../schema/turns.ts';
import type { Store } from '../../store/store.ts';
import { limits } from './limits.ts';

export interface KeyRing {
  /** The key that seals and signs now. */
  current(): Buffer;
  /** Keys whose seals and signatures are accepted. */
  all(): readonly Buffer[];
}

export interface KeyRings {
  readonly seal: KeyRing;
  readonly sessions: KeyRing;
  readonly browsers: KeyRing;
  /** Another key for each ring; answers the outcome in words. A ring that has an unused new key already stays as it is. */
  rotate(): Promise<readonly string[]>;
  close(): void;
}

const rings = {
  seal: {
    name: 'seal-key',
    what: 'tickets of rooms and mandates',
    lifeMs: Math.max(limits.mandateMs, sharedLimits.roomTicketMs) + sharedLimits.portalsSkewMsMax,
  },
  sessions: { name: 'sign-in/session-keys-key', what: 'keys that bring a session back', lifeMs: limits.sessionAgeMsMax },
  browsers: { name: 'sign-in/browsers-key', what: 'marks of browsers that signed in before', lifeMs: limits.knownBrowserMs },
} as const;
type RingName = keyof typeof rings;

interface Kept {
  readonly key: string;
  readonly fromMs: number;
}

type Values = Pick<Store, 'value' | 'keepValue' | 'putValue'>;

/** The first key of a ring lies under its name, later ones under this one. */
const later = (name: string): string => `${name}/later`;

async function read(store: Values, name: string): Promise<readonly Kept[]> {
  const first = (await store.value(name)) ?? (await store.keepValue(name, randomBytes(32).toString('base64url')));
  return [{ key: first, fromMs: 0 }, ...(JSON.parse((await store.value(later(name))) ?? '[]') as readonly Kept[])];
}

/** The one in use, and those before it whose work may still live; by age. */
function valid(kept: readonly Kept[], lifeMs: number, nowMs: number): readonly Kept[] {
  return kept.filter((_, index) => {
    const after = kept[index + 1];
    return after === undefined || nowMs < after.fromMs + lifeMs;
  });
}

export async function openKeyRings(store: Values, clock: Clock): Promise<KeyRings> {
  const kept = new Map<RingName, readonly Kept[]>();
  const names = Object.keys(rings) as RingName[];
  const reread = async (): Promise<void> => {
    for (const name of names) kept.set(name, await read(store, rings[name].name));
  };
  await reread();
  let cancel = (): void => undefined;
  let isClosed = false;
  const arm = (): void => {
    cancel = clock.at(clock.monotonicMs() + limits.keyRingsReadMs, () => {
      // A store that can't be read now is read the next time; what is known goes on counting.
      void reread()
        .catch(() => undefined)
        .then(() => (isClosed ? undefined : arm()));
    });
  };
  arm();
  const inTurn = createTurns();
  return {
    seal: ringOf(() => kept.get('seal') ?? [], rings.seal.lifeMs, clock),
    sessions: ringOf(() => kept.get('sessions') ?? [], rings.sessions.lifeMs, clock),
    browsers: ringOf(() => kept.get('browsers') ?? [], rings.browsers.lifeMs, clock),
    rotate: () =>
      inTurn('', async () => {
        const said: string[] = [];
        for (const name of names) said.push(await added(store, rings[name], clock.nowMs()));
        await reread();
        return said;
      }),
    close: () => {
      isClosed = true;
      cancel();
    },
  };
}

function ringOf(kept: () => readonly Kept[], lifeMs: number, clock: Pick<Clock, 'nowMs'>): KeyRing {
  const bytes = ({ key }: Kept): Buffer => Buffer.from(key, 'base64url');
  return {
    current: () => bytes(kept().findLast(({ fromMs }) => fromMs <= clock.nowMs()) ?? (kept()[0] as Kept)),
    all: () => valid(kept(), lifeMs, clock.nowMs()).map(bytes),
  };
}

async function added(store: Values, { name, what, lifeMs }: (typeof rings)[RingName], nowMs: number): Promise<string> {
  const kept = await read(store, name);
  const newest = kept.at(-1);
  if (newest !== undefined && newest.fromMs > nowMs)
    return `${what}: the new key is there already, and used from ${dateOf(newest.fromMs)} on`;
  const fromMs = nowMs + limits.keyRingsTakenMs;
  const next: Kept = { key: randomBytes(32).toString('base64url'), fromMs };
  // The first one stays under its name, and ends by the time of its successor.
  const rest = valid([...kept, next], lifeMs, nowMs).filter(({ fromMs: at }) => at > 0);
  if (rest.length > limits.keyRingKeysMax) return `${what}: ${limits.keyRingKeysMax} keys count already, no other one is made`;
  await store.putValue(later(name), JSON.stringify(rest));
  return `${what}: a new key from ${dateOf(fromMs)} on; the one before counts until ${dateOf(fromMs + lifeMs)}`;
}

const dateOf = (ms: number): string => `${new Date(ms).toISOString().slice(0, 16)}Z`;

/** A ring of one key that does not change. */
export const fixedRing = (key: Buffer): KeyRing => ({ current: () => key, all: () => [key] });
