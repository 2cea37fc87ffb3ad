/**
 * Tells the people whom a change of a room concerns: their open sockets get the new role, their pages receive `mudaram` and `avisos`. Changes by
 * Grant documents, and of groups by Person documents, arrive here over the bus.
 */
import type { Bus } from '../../store/bus.ts';
import type { RoomStore, StoredRoom } from '../../store/rooms.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import { createTurns } from '../../schema/turns.ts';
import type { Relay } from './contract.ts';

export interface RoomNews {
  /** Roles of these people in the room changed, and with them the counts of their bells; `more` only get the event. Other portals get it, too. */
  changed(room: Pick<StoredRoom, 'id' | 'app'>, people: readonly string[], more?: readonly string[]): Promise<void>;
  /** The same, for news of another portal, or that all of them see: only the sockets of this one, and no page. */
  reseat(sala: string, people: readonly string[]): Promise<void>;
  /** Other portals close its sockets. */
  deleted(sala: string): void;
  /** The same; its documents stay. */
  binned(sala: string): void;
  /** Sends `mudaram` to everybody in it. */
  notifyRoom(room: StoredRoom): Promise<void>;
  notify(app: string, people: readonly string[]): void;
  notifyBells(people: readonly string[]): void;
  /** In the room now: by name, by group, and the owner. */
  peopleOf(room: StoredRoom): Promise<readonly string[]>;
}

export interface RoomNewsDeps {
  readonly rooms: RoomStore;
  readonly people: Pick<PeopleView, 'find' | 'all'>;
  readonly relay: Pick<Relay, 'setRole'>;
  readonly bus: Bus;
}

export function createRoomNews({ rooms, people, relay, bus }: RoomNewsDeps): RoomNews {
  const notify: RoomNews['notify'] = (app, concerned) => {
    for (const person of new Set(concerned)) if (person !== '') bus.publish(person, { type: 'mudaram', app });
  };
  const notifyBells: RoomNews['notifyBells'] = (concerned) => {
    for (const person of new Set(concerned)) bus.publish(person, { type: 'avisos' });
  };
  const peopleOf: RoomNews['peopleOf'] = async (room) => {
    const { people: members, groups } = await rooms.members(room.id);
    const named = new Set([room.dona, ...members.map(({ usuario }) => usuario)]);
    const grouped = new Set(groups.map(({ grupo }) => grupo));
    return people
      .all()
      .flatMap(({ usuario, grupos }) => (named.has(usuario) || grupos.some((grupo) => grouped.has(grupo)) ? [usuario] : []));
  };
  // Runs in turn, so that an older role is never set last.
  const inTurn = createTurns();
  const reseat: RoomNews['reseat'] = async (sala, concerned) => {
    for (const usuario of new Set(concerned)) {
      await inTurn(`${sala} ${usuario}`, async () => {
        const person = people.find(usuario);
        const standing = person && (await rooms.standing(sala, person));
        relay.setRole(sala, usuario, standing?.papel ?? null);
      });
    }
  };
  return {
    notify,
    peopleOf,
    reseat,
    deleted: (id) => bus.tellOthers({ kind: 'room-deleted', id }),
    binned: (id) => bus.tellOthers({ kind: 'room-binned', id }),
    changed: async (room, concerned, more = []) => {
      await reseat(room.id, concerned);
      bus.tellOthers({ kind: 'roles', edge: { id: room.id, app: room.app, people: concerned } });
      notify(room.app, [...concerned, ...more]);
      notifyBells(concerned);
    },
    notifyRoom: async (room) => notify(room.app, await peopleOf(room)),
    notifyBells,
  };
}
