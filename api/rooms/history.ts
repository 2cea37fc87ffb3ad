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
import { limits } from './limits.ts';
import type { RoomCaller } from './callers.ts';
import { noSuchVersion, type Relay, type RevertAsked } from './contract.ts';
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

/** Runs the acts of one person one after the other. */
type InTurn = <Result>(usuario: string, act: () => Promise<Result>) => Promise<Result>;

/** A single thread builds the documents of everybody: a person waits for those that they asked for before, not for all that others asked for. */
function createOwnTurns(): InTurn {
  const all = new Map<string, { count: number; last: Promise<unknown> }>();
  return async (usuario, act) => {
    const own = all.get(usuario) ?? { count: 0, last: Promise.resolve() };
    if (own.count >= limits.versionsWaitingMax)
      throw new SvcError('RATE_LIMITED', 'too many versions at once: wait for those that were asked for', { retryAfterMs: 1_000 });
    all.set(usuario, own);
    own.count += 1;
    const turn = own.last.then(act);
    own.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      own.count -= 1;
      if (own.count === 0) all.delete(usuario);
    }
  };
}

export function createHistory({ rooms, relay: { history }, people, elsewhere }: HistoryDeps): History {
  const writable = async (caller: RoomCaller, id: string): Promise<StoredRoom> => {
    const { room, papel } = await rooms.inRoom(caller, id);
    if (!podeEscrever(papel, 'documento')) throw new SvcError('FORBIDDEN', 'the history of a room is for those who may write in it');
    return room;
  };
  const inTurn = createOwnTurns();
  return {
    list: async (caller, { id, canal }) => {
      await writable(caller, id);
      const versions = await history.versions({ sala: id, canal });
      return { versoes: versions.toReversed().map((version) => viewOf(version, people)) };
    },
    // Rights are asked for when the turn has come: the person may have been taken out of the room meanwhile.
    read: (caller, { id, canal }, seq, form) =>
      inTurn(caller.usuario, async () => {
        await writable(caller, id);
        return (await history.version({ sala: id, canal }, seq, form)) ?? refuse(seq);
      }),
    name: async (caller, { id, canal }, seq, nome) => {
      await writable(caller, id);
      const done = await history.name({ sala: id, canal }, seq, nome);
      if (done === 'gone') refuse(seq);
      if (done === 'full') throw new SvcError('CONFLICT', `a document has at most ${storeLimits.roomVersionNamesMax} named versions`);
    },
    revert: (caller, { id, canal }, seq) =>
      inTurn(caller.usuario, async () => {
        const { app, dona } = await writable(caller, id);
        const asked: RevertAsked = { key: { sala: id, canal }, seq, usuario: caller.usuario, app, dona };
        const there = await elsewhere?.(id);
        const act = there === null || there === undefined ? history.revert(asked) : there(asked);
        await act.catch(async (error: unknown) => {
          // A room that was deleted meanwhile is closed under the act: it is not there, rather than not readable.
          await writable(caller, id);
          throw error;
        });
      }),
  };
}

function refuse(seq: number): never {
  throw noSuchVersion(seq);
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
