/**
 * Where *Open* of a notice leads: the place in its app, in the window that sent it where that is open (rules 2.1 `multiplasJanelas`, 6); or
 * to the job that ended.
 */
import type { NoticeView } from '../../schema/wire/rooms.ts';
import type { BellDesk } from './bell-model.ts';
import { noticeRoute } from './notice-words.ts';

export function openNotice(desk: BellDesk, notice: NoticeView): void {
  if (!notice.lido) void desk.bell.markRead([notice.id]);
  if (notice.trabalho !== null) return desk.open('@fila', notice.trabalho.id);
  desk.openApp(notice.app, { route: noticeRoute(notice), window: desk.noticeWindows.get(notice.id) });
}

/** A job is shown also where its app is there no more. */
export const canOpen = (desk: Pick<BellDesk, 'apps'>, { app, trabalho }: NoticeView): boolean =>
  trabalho !== null || desk.apps.find(app) !== undefined;
