/** The people of this portal as labels are compared with them: ids, logins and full names, read anew every few seconds. */
import type { Clock } from '../../schema/clock.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import { fold, type KnownPeople } from './label-rule.ts';
import { limits } from './limits.ts';

export function createKnownPeople(people: Pick<PeopleView, 'all'>, clock: Clock): KnownPeople {
  let known = new Set<string>();
  let untilMs = Number.NEGATIVE_INFINITY;
  return {
    isSomebody: (folded) => {
      if (clock.monotonicMs() >= untilMs) {
        known = new Set(people.all().flatMap(({ usuario, login, nome }) => [usuario, login, nome].map(fold)));
        untilMs = clock.monotonicMs() + limits.metricPeopleKeptMs;
      }
      return known.has(folded);
    },
  };
}
