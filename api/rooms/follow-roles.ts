/**
 * Roles that change without a request to this portal: a Grant document changed, the Person documents changed groups, or another portal of the store
 * changed something. Sockets in a room get the current role at once (rules 3.4).
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
  readonly relay: Pick<Relay, 'seated' | 'endSession' | 'endRoom' | 'deleteRoom'>;
  readonly bus: Bus;
  readonly onError: (error: unknown) => void;
}

export function followRoles(deps: FollowDeps): () => void {
  const { people, news, relay, bus, onError } = deps;
  const stopMissed = bus.onEdgesMissed(oneByOne(() => reseatAll(deps)));
  let known = groupsOf(people);
  const stopRooms = bus.onRoomChanged(({ id, app, people }) => {
    news.changed({ id, app }, people).catch(onError);
  });
  const stopHeard = bus.onHeard((edge) => {
    if (edge.kind === 'roles') news.reseat(edge.edge.id, edge.edge.people).catch(onError);
    else if (edge.kind === 'room-deleted') relay.deleteRoom(edge.id).catch(onError);
    else if (edge.kind === 'room-binned') relay.endRoom(edge.id);
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
    stopMissed();
  };
}

/** `who`: with all groups that they were or are in. */
async function reseat({ rooms, news }: FollowDeps, who: Who): Promise<void> {
  const { usuario } = who;
  const apps = new Set<string>();
  for (const { room } of await rooms.roomsOf(null, who)) {
    apps.add(room.app);
    await news.reseat(room.id, [usuario]);
  }
  for (const app of apps) news.notify(app, [usuario]);
  if (apps.size > 0) news.notifyBells([usuario]);
}

/** News of other portals was lost: everybody who sits here is checked. Never rejects; an unreadable room delays no other one. */
async function reseatAll({ rooms, news, relay, onError }: FollowDeps): Promise<void> {
  const seats = relay.seated();
  const failures: unknown[] = [];
  const tryTo = async (act: () => Promise<void>): Promise<void> => await act().catch((error: unknown) => void failures.push(error));
  for (const [sala, seated] of Map.groupBy(seats, (seat) => seat.sala)) {
    await tryTo(async () => {
      if (await rooms.wasDeleted(sala)) return await relay.deleteRoom(sala);
      await news.reseat(
        sala,
        seated.map(({ usuario }) => usuario),
      );
    });
  }
  for (const credential of new Set(seats.flatMap((seat) => seat.credential ?? []))) {
    await tryTo(async () => {
      if ((await rooms.portalToken(credential)) === null) relay.endSession(credential);
    });
  }
  // Logs the first failure only; rooms are read again when the database is back.
  if (failures.length > 0) onError(failures[0]);
}

/** Runs `act` once at a time; requests meanwhile cause one more run afterwards. `act` never rejects. */
function oneByOne(act: () => Promise<void>): () => void {
  let isDue = false;
  let isRunning = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (isDue) {
      isDue = false;
      await act();
    }
    isRunning = false;
  };
  return () => {
    isDue = true;
    if (!isRunning) void run();
  };
}

function groupsOf(people: Pick<PeopleView, 'all'>): ReadonlyMap<string, readonly string[]> {
  return new Map(people.all().map(({ usuario, grupos }) => [usuario, grupos]));
}

function sameGroups(one: readonly string[], other: readonly string[]): boolean {
  return one === other || (one.length === other.length && one.every((grupo) => other.includes(grupo)));
}
