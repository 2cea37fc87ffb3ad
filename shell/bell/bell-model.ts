/**
 * The notices of the person. As with the apps, the portal's answer is the truth and the event `avisos` only asks for another reading
 * (one in flight, one waiting).
 */
import type { PortalEvent } from '../../schema/wire/events.ts';
import type { NoticesAnswer, NoticeView } from '../../schema/wire/rooms.ts';
import { text } from '../i18n/i18n.ts';
import { sayError } from '../session/say-error.ts';
import { createRetry } from '../state/retry.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import { noticeText } from './notice-words.ts';

export interface BellState extends NoticesAnswer {
  readonly loaded: boolean;
  /** Why the last reading or marking failed; null when it didn't. */
  readonly problem: string | null;
}

export interface BellModel {
  readonly state: Signal<BellState>;
  refresh(): void;
  apply(event: PortalEvent): void;
  /** Null: all of them. Shown at once; what the portal answers is what stays. */
  markRead(ids: readonly string[] | null): Promise<void>;
}

export interface BellPortal {
  read(): Promise<NoticesAnswer>;
  markRead(ids: readonly string[] | null): Promise<NoticesAnswer>;
}

/** `announce` gets in words what came since the last reading. */
export function createBellModel(portal: BellPortal, announce: (words: string, notice: NoticeView) => void): BellModel {
  const state = createSignal<BellState>({ avisos: [], naoLidos: 0, loaded: false, problem: null });
  let reading = false;
  let again = false;

  const take = ({ avisos, naoLidos }: NoticesAnswer): void => {
    const before = state.get();
    retry.succeeded();
    state.set({ avisos, naoLidos, loaded: true, problem: null });
    if (!before.loaded) return;
    const known = new Set(before.avisos.map(({ id }) => id));
    const came = avisos.find((notice) => !notice.lido && !known.has(notice.id));
    if (came !== undefined) announce(text('bell.came', { aviso: noticeText(came) }), came);
  };
  const carryOut = async (ask: () => Promise<NoticesAnswer>): Promise<void> => {
    try {
      take(await ask());
    } catch (error) {
      retry.failed(error);
      state.set({ ...state.get(), problem: sayError(error) });
    }
  };
  const refresh = async (): Promise<void> => {
    again = reading;
    if (reading) return;
    reading = true;
    await carryOut(() => portal.read());
    reading = false;
    if (again) await refresh();
  };
  const retry = createRetry(() => void refresh());

  return {
    state,
    refresh: () => void refresh(),
    apply: (event) => {
      if (event.type === 'avisos') void refresh();
    },
    markRead: async (ids) => {
      state.set({ ...state.get(), ...asRead(state.get(), ids) });
      await carryOut(() => portal.markRead(ids));
      if (state.get().problem !== null) retry.now();
    },
  };
}

function asRead({ avisos, naoLidos }: NoticesAnswer, ids: readonly string[] | null): NoticesAnswer {
  if (ids === null) return { avisos: avisos.map((notice) => ({ ...notice, lido: true })), naoLidos: 0 };
  const marked = (notice: NoticeView): boolean => !notice.lido && ids.includes(notice.id);
  return {
    avisos: avisos.map((notice) => (marked(notice) ? { ...notice, lido: true } : notice)),
    naoLidos: Math.max(0, naoLidos - avisos.filter(marked).length),
  };
}
