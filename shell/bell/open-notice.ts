/** Where *Open* of a notice leads: the place in its app, in the window that sent it where that is open. Source: spec 2.1 `multiplasJanelas`, 6. */
import type { NoticeView } from '../../schema/wire/rooms.ts';
import type { Desk } from '../desktop/desk.ts';
import { noticeRoute } from './notice-words.ts';

export function openNotice(desk: Desk, notice: NoticeView): void {
  if (!notice.lido) void desk.bell.markRead([notice.id]);
  desk.openApp(notice.app, { route: noticeRoute(notice), window: desk.noticeWindows.get(notice.id) });
}
