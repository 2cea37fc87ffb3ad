/**
 * Ends everything that former administrators hold open from the time when they were administrators. Decision:
 * docs/decisions/0399-administrators-by-name-and-group.md
 */
import type { Bus } from '../../store/bus.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import type { Sessions } from './sessions.ts';

export interface AdminMarkDeps {
  readonly people: Pick<PeopleView, 'all'>;
  readonly bus: Pick<Bus, 'onPeopleChanged'>;
  readonly sessions: Pick<Sessions, 'letGo'>;
  readonly onError: (error: unknown) => void;
}

export function followAdmins({ people, bus, sessions, onError }: AdminMarkDeps): void {
  const adminsNow = (): ReadonlySet<string> => new Set(people.all().flatMap(({ usuario, isAdmin }) => (isAdmin === true ? [usuario] : [])));
  let before = adminsNow();
  bus.onPeopleChanged(() => {
    const now = adminsNow();
    for (const usuario of before) if (!now.has(usuario)) sessions.letGo(usuario).catch(onError);
    before = now;
  });
}
