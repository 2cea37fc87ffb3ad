/**
 * History of rooms for the routes: who may see and change it, and versions as the wire has them. What was deleted stands in it: it is for those who may
 * write. Decision: docs/decisions/0447-history-of-rooms.md
 */
import { SvcError } from '../../schema/errors.ts';
import type { PeopleView } from '../../schema/gateway.ts';
import { type Canal, podeEscrever, type VersionForm } from '../../schema/rooms.ts';
import type { HistoryAnswer, RoomVersion } from '../../schema/wire/rooms.ts';
import type { Version } from '../../store/history/spans.ts';
import { limits as storeLimits } from '../../store/limits.ts';
import type { StoredRoom } from '../../store/rooms.ts';
import type { RoomCaller } from './callers.ts';
import type { Relay, RevertAsked } from './contract.ts';
import type { Rooms } from './rooms.ts';

export interface HistoryDeps {
  readonly rooms: Pick<Rooms, 'inRoom'>;
  readonly relay: Pick<Relay, 'history'>;
  readonly people: Pick<PeopleView, 'find'>;
  /** Asks the portal that has the room; null: that is this one. Undefined: there are no others. */
  readonly elsewhere: ((sala: string) => Promise<((asked: RevertAsked) => Promise<void>) | null>) | undefined;
}

/** A document of a room that somebody asks about. */
export interface Place {
  readonly id: string;
  readonly canal: Canal;
}

export interface History {
  list(caller: RoomCaller, place: Place): Promise<HistoryAnswer>;
  read(caller: RoomCaller, place: Place, seq: number, form: VersionForm): Promise<Uint8Array>;
  name(caller: RoomCaller, place: Place, seq: number, nome: string | null): Promise<void>;
  revert(caller: RoomCaller, place: Place, seq: number): Promise<void>;
}

export function createHistory({ rooms, relay: { history }, people, elsewhere }: HistoryDeps): History {
  const writable = async (caller: RoomCaller, id: string): Promise<StoredRoom> => {
    const { room, papel } = await rooms.inRoom(caller, id);
    if (!podeEscrever(papel, 'documento')) throw new SvcError('FORBIDDEN', 'the history of a room is for those who may write in it');
    return room;
  };
  return {
    list: async (caller, { id, canal }) => {
      await writable(caller, id);
      const versions = await history.versions({ sala: id, canal });
      return { versoes: versions.toReversed().map((version) => viewOf(version, people)) };
    },
    read: async (caller, { id, canal }, seq, form) => {
      await writable(caller, id);
      return (await history.version({ sala: id, canal }, seq, form)) ?? refuse(seq);
    },
    name: async (caller, { id, canal }, seq, nome) => {
      await writable(caller, id);
      const done = await history.name({ sala: id, canal }, seq, nome);
      if (done === 'gone') refuse(seq);
      if (done === 'full') throw new SvcError('CONFLICT', `a document has at most ${storeLimits.roomVersionNamesMax} named versions`);
    },
    revert: async (caller, { id, canal }, seq) => {
      const { app, dona } = await writable(caller, id);
      const asked: RevertAsked = { key: { sala: id, canal }, seq, usuario: caller.usuario, app, dona };
      const there = await elsewhere?.(id);
      await (there === null || there === undefined ? history.revert(asked) : there(asked));
    },
  };
}

function refuse(seq: number): never {
  throw new SvcError('NOT_FOUND', `there is no version ${seq} of this room: read the list again`);
}

function viewOf({ seq, sinceMs, untilMs, who, name }: Version, people: HistoryDeps['people']): RoomVersion {
  return {
    versao: seq,
    de: sinceMs === 0 ? null : sinceMs,
    ate: untilMs === 0 ? null : untilMs,
    pessoas: who.map((usuario) => ({ usuario, nome: people.find(usuario)?.nome ?? null })),
    nome: name,
  };
}
