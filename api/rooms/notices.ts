/**
 * Notices: what one person in a room lets another one know, and the bell that shows it. They reach people in the room only, and the same anchor
 * reaches one person once, so that repeating a request after a failure does not duplicate (rules 6, rules 1 to 3). An app tells its own person
 * anything, and nobody else.
 */
import { newNoticeId, type RoomStore } from '../../store/rooms.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import type { AppsView, PeopleView } from '../../schema/gateway.ts';
import type { NoticeKind } from '../../schema/rooms.ts';
import { isRoute } from '../../schema/bridge/route.ts';
import { asPlainLine } from '../../schema/plain-line.ts';
import type { AppNoticeBody, NoticesAnswer } from '../../schema/wire/rooms.ts';
import type { RoomCaller } from './callers.ts';
import type { RoomNews } from './news.ts';
import type { Rooms } from './rooms.ts';

export interface NoticeWish {
  readonly tipo: NoticeKind;
  readonly para: readonly string[];
  readonly ancora: string;
}

export interface Notices {
  /** Answers who of them is in the room: they have the notice, by this request or by an earlier one. */
  send(caller: RoomCaller, id: string, wish: NoticeWish): Promise<readonly string[]>;
  /** Tells the person who uses an app something from it; answers the id. Rejects NOT_FOUND for an app that they don't have. */
  tell(usuario: string, notice: AppNoticeBody): Promise<string>;
  bell(usuario: string): Promise<NoticesAnswer>;
  /** Null: all. */
  markRead(usuario: string, ids: readonly string[] | null): Promise<NoticesAnswer>;
  drop(usuario: string, id: string | null): Promise<void>;
}

export interface NoticeDeps {
  readonly store: RoomStore;
  readonly rooms: Pick<Rooms, 'inRoom'>;
  readonly people: Pick<PeopleView, 'find'>;
  readonly apps: Pick<AppsView, 'find'>;
  readonly news: Pick<RoomNews, 'notifyBells'>;
  readonly clock: Clock;
}

export function createNotices({ store, rooms, people, apps, news, clock }: NoticeDeps): Notices {
  const bell = (usuario: string): Promise<NoticesAnswer> => bellOf({ store, people, apps }, usuario);
  return {
    bell,
    send: async (caller, id, { tipo, para, ancora }) => {
      const { room } = await rooms.inRoom(caller, id);
      const reached: string[] = [];
      for (const usuario of new Set(para)) {
        const person = usuario === caller.usuario ? null : people.find(usuario);
        if (person && ((await store.standing(id, person))?.papel ?? null) !== null) reached.push(usuario);
      }
      const atMs = clock.nowMs();
      const wanted = reached.map((usuario) => {
        return { id: newNoticeId(), usuario, tipo, sala: room.id, de: caller.usuario, papel: null, ancora, atMs };
      });
      const fresh = await store.addNotices(wanted);
      news.notifyBells(fresh.map(({ usuario }) => usuario));
      return reached;
    },
    tell: async (usuario, { app, texto, rota = null }) => {
      if (apps.find(usuario, app) === null) throw new SvcError('NOT_FOUND', `app ${app} is not installed`);
      if (rota !== null && !isRoute(rota)) throw new SvcError('BAD_REQUEST', 'rota: expected a place inside the app');
      const id = newNoticeId();
      await store.addAppNotice({ id, usuario, app, texto, rota, atMs: clock.nowMs() });
      news.notifyBells([usuario]);
      return id;
    },
    markRead: async (usuario, ids) => {
      const counts = await Promise.all((ids ?? [null]).map((id) => store.markRead(usuario, id)));
      if (counts.some((count) => count > 0)) news.notifyBells([usuario]);
      return await bell(usuario);
    },
    drop: async (usuario, id) => {
      if ((await store.dropNotices(usuario, id)) > 0) news.notifyBells([usuario]);
    },
  };
}

/** Rooms that the person was removed from meanwhile are left out, also their names. */
async function bellOf({ store, people, apps }: Pick<NoticeDeps, 'store' | 'people' | 'apps'>, usuario: string): Promise<NoticesAnswer> {
  const person = people.find(usuario);
  if (!person) return { avisos: [], naoLidos: 0 };
  const [rows, mine] = await Promise.all([store.notices(usuario), store.roomsOf(null, person)]);
  const open = new Set(mine.map(({ room }) => room.id));
  const avisos = rows
    .filter(({ sala }) => sala === null || open.has(sala))
    .map(({ id, tipo, app, sala, salaNome, texto, rota, trabalho, de, papel, ancora, atMs, read }) => ({
      id,
      tipo,
      app,
      appNome: apps.find(usuario, app)?.name ?? app,
      sala,
      salaNome: salaNome === null ? null : asPlainLine(salaNome) || sala,
      texto: texto === null ? null : asPlainLine(texto),
      rota,
      trabalho,
      de: { usuario: de, nome: people.find(de)?.nome ?? de },
      papel,
      ancora,
      em: atMs,
      lido: read,
    }));
  return { avisos, naoLidos: avisos.filter(({ lido }) => !lido).length };
}
