/** Applies a Grant document to the room store; the API is notified and updates open sockets and pages. */
import { keys } from '../../schema/keys.ts';
import type { Action, ActionOf } from '../../reconcilers/actions.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../store/limits.ts';
import type { PapelConcedido } from '../../schema/rooms.ts';
import type { Bus } from '../../store/bus.ts';
import { newNoticeId, newRoomId, type RoleChange, type RoomStore, type StoredNotice, type StoredRoom } from '../../store/rooms.ts';
import type { GrantEntry, Entries } from '../entries.ts';
import { reportOutcome } from './outcome.ts';

type GrantAction = Extract<Action, { readonly grant: string }>;
type GrantExecutors = { readonly [Kind in GrantAction['kind']]: (action: ActionOf<Kind>) => Promise<void> };

export interface GrantActOptions {
  readonly entries: Entries;
  readonly rooms: RoomStore;
  readonly bus: Bus;
  readonly clock: Clock;
  /** Decides the key again: one action follows from what the one before brought about. */
  readonly onChange: (key: string) => void;
}

export function grantExecutors(options: GrantActOptions): GrantExecutors {
  const { entries, rooms, clock } = options;
  /** Changes roles of these people in a room that is there. */
  const inRoom = async (
    action: GrantAction & { readonly room: string },
    people: readonly string[],
    act: (room: StoredRoom) => Promise<unknown>,
  ) => {
    await guardedGrant(options, action.grant, async () => {
      const room = await rooms.room(action.room);
      if (room === null) return;
      await act(room);
      options.bus.roomChanged({ id: room.id, app: room.app, people });
    });
  };
  const wish = (room: StoredRoom, papel: PapelConcedido, invited: readonly string[]) => {
    const atMs = clock.nowMs();
    const others = invited.filter((usuario) => usuario !== room.dona);
    return { papel, atMs, invitations: others.map((usuario) => invitation(room, usuario, papel, atMs)) };
  };
  return {
    'grant/create': (action) => create(options, action),
    'grant/owner': (action) =>
      inRoom(action, [action.dona], async (room) => {
        await rooms.setOwner(room.id, action.dona, clock.nowMs());
        if (room.dona !== '') options.bus.roomChanged({ id: room.id, app: room.app, people: [room.dona] });
      }),
    'grant/person': (action) =>
      inRoom(action, [action.usuario], async (room) => {
        const { usuario, grant, papel } = action;
        refuseFull(await rooms.declarePerson(room.id, usuario, grant, wish(room, papel, [usuario])), `${limits.roomPeopleMax} people`);
      }),
    'grant/group': (action) =>
      inRoom(action, inGroup(entries, action.grupo), async (room) => {
        const { grupo, grant, papel } = action;
        const change = await rooms.declareGroup(room.id, grupo, grant, wish(room, papel, inGroup(entries, grupo)));
        refuseFull(change, `${limits.roomGroupsMax} groups`);
      }),
    'grant/withdraw-person': (action) =>
      inRoom(action, [action.usuario], (room) => rooms.withdrawPerson(room.id, action.usuario, action.grant, clock.nowMs())),
    'grant/withdraw-group': (action) =>
      inRoom(action, inGroup(entries, action.grupo), (room) => rooms.withdrawGroup(room.id, action.grupo, action.grant, clock.nowMs())),
  };
}

async function create(options: GrantActOptions, { grant, app, sala, dona }: ActionOf<'grant/create'>): Promise<void> {
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
async function guardedGrant({ entries, onChange }: GrantActOptions, grant: string, act: () => Promise<void>): Promise<void> {
  const entry: GrantEntry | undefined = entries.grants.get(grant);
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
