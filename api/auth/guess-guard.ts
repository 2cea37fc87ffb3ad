/**
 * Limits password attempts so that one person can't lock another out. A browser that signed in with a login before has its own attempts.
 * All others share those of their address, the login, the pair of both and the portal; when the login's attempts are used up by others, an
 * address that did not try it yet may still try. Constant memory. With several portals of one store a failed attempt counts at each of them.
 * Decision: docs/decisions/0071-guessing-passwords.md
 */
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Bus } from '../../store/bus.ts';
import { limits as apiLimits } from '../limits.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { createLeakyCells, type LeakyCells } from './leaky-cells.ts';
import { networkOf, siteNetworkOf } from './client-address.ts';

export interface Guess {
  readonly login: string;
  readonly address: string;
  /** Id of a browser that signed in with this login before (known-browsers.ts). */
  readonly browser: string | null;
}

export interface Attempt {
  /** The password was right, or could not be checked: the attempt is not counted. */
  forgive(): void;
  /** The check is over. */
  end(): void;
}

export interface GuessGuard {
  /** Counts as failed until it is forgiven. Throws RATE_LIMITED. */
  begin(guess: Guess): Attempt;
}

export function createGuessGuard(clock: Clock, bus: Pick<Bus, 'tellOthers' | 'onHeard'>): GuessGuard {
  const addresses = createLeakyCells(clock, { burst: limits.signInAddressFailures, refillMs: limits.signInAddressRefillMs });
  const logins = createLeakyCells(clock, { burst: limits.signInLoginFailures, refillMs: limits.signInLoginRefillMs });
  const pairs = createLeakyCells(clock, { burst: limits.signInPairFailures, refillMs: limits.signInPairRefillMs });
  const fresh = createLeakyCells(clock, { burst: limits.signInFreshFailures, refillMs: limits.signInFreshRefillMs });
  const all = createLeakyCells(clock, { burst: limits.signInGlobalFailures, refillMs: limits.signInGlobalRefillMs });
  const browsers = createLeakyCells(clock, { burst: limits.signInBrowserFailures, refillMs: limits.signInBrowserRefillMs });
  const underCheck = { strangers: 0, all: 0 };

  /** Where this guess counts. */
  const purses = ({ login, address, browser }: Guess): readonly (readonly [LeakyCells, string])[] => {
    if (browser !== null) return [[browsers, browser]];
    const name = login.toLowerCase();
    const pair = `${name}\n${siteNetworkOf(address)}`;
    const ofLogin = logins.waitMs(name) > 0 && pairs.level(pair) === 0 ? fresh : logins;
    return [
      [addresses, networkOf(address)],
      [pairs, pair],
      [ofLogin, name],
      [all, ''],
    ];
  };

  bus.onHeard((edge) => {
    if (edge.kind === 'guess') for (const [cells, key] of purses({ ...edge, browser: null })) cells.add(key);
  });
  return {
    begin: (guess) => {
      const isStranger = guess.browser === null;
      if (underCheck.all >= apiLimits.signInsMax || (isStranger && underCheck.strangers >= limits.signInStrangersMax)) {
        throw limited(sharedLimits.signInBusyRetryMs);
      }
      const counted = purses(guess);
      const waitMs = Math.max(...counted.map(([cells, key]) => cells.waitMs(key)));
      if (waitMs > 0) throw limited(waitMs);
      // Counted before the answer is known: a thousand guesses at the same moment are a thousand guesses.
      for (const [cells, key] of counted) cells.add(key);
      underCheck.all += 1;
      if (isStranger) underCheck.strangers += 1;
      let [ended, forgiven] = [false, false];
      return {
        forgive: () => {
          forgiven = true;
          for (const [cells, key] of counted) cells.takeBack(key);
        },
        end: () => {
          if (ended) return;
          ended = true;
          underCheck.all -= 1;
          if (isStranger) underCheck.strangers -= 1;
          // A browser that is known has attempts of its own, here.
          if (!forgiven && isStranger) bus.tellOthers({ kind: 'guess', login: guess.login, address: guess.address });
        },
      };
    },
  };
}

export function limited(waitMs: number): SvcError {
  const retryAfterMs = Math.max(1_000, Math.ceil(waitMs));
  return new SvcError('RATE_LIMITED', `too many attempts to sign in; try again in ${Math.ceil(retryAfterMs / 1_000)} s`, { retryAfterMs });
}
