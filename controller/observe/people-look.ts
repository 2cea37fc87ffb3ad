/** What a look at the people of a People document said (people-list.ts). */
import type { LeftOut } from '../../reconcilers/members.ts';
import type { PeopleSeen } from '../../reconcilers/people.ts';
import type { PeopleList } from '../desired/derived.ts';

export interface PeopleLook {
  readonly seen: PeopleSeen;
  readonly leftOut: readonly LeftOut[];
  /** Null when nothing can be said: `seen` has why. */
  readonly list: PeopleList | null;
  /** What it was made of. */
  readonly of: { readonly said: string; readonly arrivals: string } | null;
}
