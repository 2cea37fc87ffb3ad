/** Observation of the people of a People document (people-list.ts). */
import type { LeftOut } from '../../reconcilers/members.ts';
import type { PeopleSeen } from '../../reconcilers/people.ts';
import type { PeopleList } from './derived.ts';

export interface PeopleLook {
  readonly seen: PeopleSeen;
  readonly leftOut: readonly LeftOut[];
  /** Null when nothing can be said: `seen` has why. */
  readonly list: PeopleList | null;
  /** Inputs of the list. */
  readonly of: { readonly said: string; readonly arrivals: string } | null;
}
