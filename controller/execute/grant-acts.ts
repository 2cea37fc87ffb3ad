/** Applies a Grant document to the room store; the API is notified and updates open sockets and pages. */
import { keys } from '../../schema/keys.ts';
import type { Action, ActionOf } from '../../reconcilers/actions.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../store/limits.ts';
import type { PapelConcedido } from '../../schema/rooms.ts';
import { newNoticeId, newRoomId, type RoleChange, type RoomStore, type StoredNotice, type StoredRoom } from '../../store/rooms.ts';
import type { GrantEntry, Entries } from '../entries.ts';
import type { Acts, ExecutorOptions } from './guarded.ts';
import { reportOutcome } from './outcome.ts';

type OfGrant = { readonly grant: string };
type OfRoom = OfGrant & { readonly room: string };

/** Changes roles of these people in a room that is there. */
async function inRoom(
  options: ExecutorOptions,
  { grant, room: id }: OfRoom,
  people: readonly string[],
  act: (rooms: RoomStore, room: StoredRoom, atMs: number) => Promise<unknown>,
): Promise<void> {
  const { rooms, clock, bus } = options;
  await guardedGrant(options, grant, async () => {
    const room = await rooms.room(id);
    if (room === null) return;
    await act(rooms, room, clock.nowMs());
    bus.roomChanged({ id: room.id, app: room.app, people });
  });
}

function wish(room: StoredRoom, papel: PapelConcedido, invited: readonly string[], atMs: number) {
  const others = invited.filter((usuario) => usuario !== room.dona);
  return { papel, atMs, invitations: others.map((usuario) => invitation(room, usuario, papel, atMs)) };
}

const told = ({ grant }: OfGrant, detail: string) => ({ key: keys.grant(grant), detail });
const recorded = ({ room, grant }: OfRoom, of: { readonly usuario?: string; readonly grupo?: string; readonly papel?: string }) => ({
  object: `Room/${room}`,
  ...(of.usuario === undefined ? {} : { person: of.usuario }),
  details: { grant, ...(of.grupo === undefined ? {} : { group: of.grupo }), ...(of.papel === undefined ? {} : { role: of.papel }) },
});

export const grantActs: Acts<Extract<Action, OfGrant>['kind']> = {
  'grant/create': {
    run: create,
    change: (action) => told(action, `room ${action.sala} of ${action.app}, owned by ${action.dona}`),
    audit: { action: 'room/create', of: ({ grant, dona }) => ({ object: keys.grant(grant), person: dona }) },
  },
  'grant/owner': {
    run: (options, action) =>
      inRoom(options, action, [action.dona], async (rooms, room, atMs) => {
        await rooms.setOwner(room.id, action.dona, atMs);
        if (room.dona !== '') options.bus.roomChanged({ id: room.id, app: room.app, people: [room.dona] });
      }),
    change: (action) => told(action, `owner ${action.dona}`),
    audit: { action: 'room/owner', of: (action) => recorded(action, { usuario: action.dona }) },
  },
  'grant/person': {
    run: (options, action) =>
      inRoom(options, action, [action.usuario], async (rooms, room, atMs) => {
        const { usuario, grant, papel } = action;
        const change = await rooms.declarePerson(room.id, usuario, grant, wish(room, papel, [usuario], atMs));
        refuseFull(change, `${limits.roomPeopleMax} people`);
      }),
    change: (action) => told(action, `${action.usuario} ${action.papel}`),
    audit: { action: 'room/grant', of: (action) => recorded(action, action) },
  },
  'grant/group': {
    run: (options, action) => {
      const { grupo, grant, papel } = action;
      const people = inGroup(options.entries, grupo);
      return inRoom(options, action, people, async (rooms, room, atMs) => {
        const change = await rooms.declareGroup(room.id, grupo, grant, wish(room, papel, inGroup(options.entries, grupo), atMs));
        refuseFull(change, `${limits.roomGroupsMax} groups`);
      });
    },
    change: (action) => told(action, `group ${action.grupo} ${action.papel}`),
    audit: { action: 'room/grant', of: (action) => recorded(action, action) },
  },
  'grant/withdraw-person': {
    run: (options, action) =>
      inRoom(options, action, [action.usuario], (rooms, { id }, atMs) => rooms.withdrawPerson(id, action.usuario, action.grant, atMs)),
    change: (action) => told(action, action.usuario),
    audit: { action: 'room/withdraw', of: (action) => recorded(action, action) },
  },
  'grant/withdraw-group': {
    run: (options, action) =>
      inRoom(options, action, inGroup(options.entries, action.grupo), (rooms, { id }, atMs) =>
        rooms.withdrawGroup(id, action.grupo, action.grant, atMs),
      ),
    change: (action) => told(action, `group ${action.grupo}`),
    audit: { action: 'room/withdraw', of: (action) => recorded(action, action) },
  },
};

async function create(options: ExecutorOptions, { grant, app, sala, dona }: ActionOf<'grant/create'>): Promise<void> {
  await guardedGrant(options, grant, async () => {
    const atMs = options.clock.nowMs();
    const room: StoredRoom = { id: newRoomId(), app, nome: sala, dona, createdAtMs: atMs, changedAtMs: atMs, declaredName: sala };
    if ((await options.rooms.createRoom(room)) === 'full')
      throw new SvcError('CONFLICT', `${dona} owns ${limits.roomsOwnedMax} rooms already`);
    options.bus.roomChanged({ id: room.id, app, people: [dona] });
  });
}

/**
 * A limit that is hit is logged, and the next resync retries; changes that went through are observed again at once. Errors of the store are
 * rethrown.
 */
async function guardedGrant({ entries, onChange }: ExecutorOptions, grant: string, act: () => Promise<void>): Promise<void> {
  const entry = entries.documents.get(keys.grant(grant)) as GrantEntry | undefined;
  try {
    await act();
    if (entry) entry.refused = null;
    onChange(keys.grant(grant));
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'CONFLICT') throw error;
    if (entry) entry.refused = error.message;
    reportOutcome(error);
  }
}

function refuseFull(change: RoleChange, what: string): void {
  if (change === 'full') throw new SvcError('CONFLICT', `the room holds ${what} already`);
}

export function inGroup(entries: Entries, grupo: string): readonly string[] {
  return [...entries.people.values()].flatMap(({ name, leaving, placed }) =>
    !leaving && placed.document.spec.grupos?.includes(grupo) === true ? [name] : [],
  );
}

function invitation({ id, dona }: StoredRoom, usuario: string, papel: PapelConcedido, atMs: number): StoredNotice {
  return { id: newNoticeId(), usuario, tipo: 'convite', sala: id, de: dona, papel, ancora: null, atMs };
}
