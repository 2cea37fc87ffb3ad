/**
 * Roles that change without a request: a Grant document changed, or the Person documents changed groups. Sockets in a room get the current
 * role at once (spec 3.4).
 */
import type { Bus } from '../../store/bus.ts';
import type { RoomStore, Who } from '../../store/rooms.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import type { Relay } from './contract.ts';
import type { RoomNews } from './news.ts';

export interface FollowDeps {
  readonly rooms: RoomStore;
  readonly people: Pick<PeopleView, 'find' | 'all'>;
  readonly news: RoomNews;
  readonly relay: Pick<Relay, 'setRole' | 'deleteRoom'>;
  readonly bus: Bus;
  readonly onError: (error: unknown) => void;
}

export function followRoles(deps: FollowDeps): () => void {
  const { people, news, relay, bus, onError } = deps;
  let known = groupsOf(people);
  const stopRooms = bus.onRoomChanged(({ id, app, people }) => {
    news
      .changed({ id, app }, people)
      .then(() => news.notifyBells(people))
      .catch(onError);
  });
  const stopHeard = bus.onHeard((edge) => {
    if (edge.kind === 'roles') news.reseat(edge.edge.id, edge.edge.people).catch(onError);
    else if (edge.kind === 'room-deleted') relay.deleteRoom(edge.id).catch(onError);
  });
  const stopPeople = bus.onPeopleChanged(() => {
    const before = known;
    known = groupsOf(people);
    const now = known;
    for (const [usuario, grupos] of before) {
      const other = now.get(usuario);
      if (other === undefined || !sameGroups(grupos, other))
        reseat(deps, { usuario, grupos: [...grupos, ...(other ?? [])] }).catch(onError);
    }
  });
  return () => {
    stopRooms();
    stopHeard();
    stopPeople();
  };
}

/** `who`: with all groups that they were or are in. */
async function reseat({ rooms, people, news, relay }: FollowDeps, who: Who): Promise<void> {
  const { usuario } = who;
  const apps = new Set<string>();
  for (const { room } of await rooms.roomsOf(null, who)) {
    apps.add(room.app);
    const person = people.find(usuario);
    const standing = person && (await rooms.standing(room.id, person));
    relay.setRole(room.id, usuario, standing?.papel ?? null);
  }
  for (const app of apps) news.notify(app, [usuario]);
}

function groupsOf(people: Pick<PeopleView, 'all'>): ReadonlyMap<string, readonly string[]> {
  return new Map(people.all().map(({ usuario, grupos }) => [usuario, grupos]));
}

function sameGroups(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((grupo) => other.includes(grupo)));
}
