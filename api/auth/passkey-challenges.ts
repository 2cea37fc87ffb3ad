/**
 * Challenges of passkeys. A challenge is sealed (sealed.ts): nothing is stored until it was answered rightly, so asking for many costs nobody theirs.
 * Its hash is then kept until it expires: it counts once at all portals of the store. Decision: docs/decisions/0384-passkeys.md
 */
import type { Clock } from '../../schema/clock.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { Store } from '../../store/store.ts';
import type { KeyRing } from './key-rings.ts';
import { limits } from './limits.ts';
import { seal, unseal } from './sealed.ts';
import { secretHash } from './secrets.ts';

export type Purpose = 'passkey make' | 'passkey enter';

export interface Challenges {
  /** `binding`: who may answer; '' for anybody. */
  give(purpose: Purpose, binding: string): string;
  isOwn(challenge: string, purpose: Purpose, binding: string): boolean;
  /** True once. Only for an own one, whose answer is right. */
  spend(challenge: string): Promise<boolean>;
}

interface Sealed {
  readonly binding: string;
  readonly untilMs: number;
}

export function createChallenges(ring: KeyRing, clock: Pick<Clock, 'nowMs'>, store: Pick<Store, 'spendChallenge'>): Challenges {
  return {
    give: (purpose, binding) => seal(ring, purpose, { binding, untilMs: clock.nowMs() + limits.passkeyChallengeMs } satisfies Sealed),
    isOwn: (challenge, purpose, binding) => {
      const found = unseal(ring, purpose, challenge) as Sealed | null;
      if (found === null || found.binding !== binding) return false;
      const leftMs = found.untilMs - clock.nowMs();
      return leftMs > 0 && leftMs <= limits.passkeyChallengeMs + sharedLimits.portalsSkewMsMax;
    },
    spend: (challenge) => {
      const nowMs = clock.nowMs();
      return store.spendChallenge(secretHash(challenge), nowMs + limits.passkeyChallengeMs + 2 * sharedLimits.portalsSkewMsMax, nowMs);
    },
  };
}
