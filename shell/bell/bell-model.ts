/**
 * The notices of the person, and what backends ask them about other apps (docs/decisions/0201-consent.md). As with the apps, the portal's
 * answer is the truth and the events `avisos` and `consentimentos` only ask for another reading (one in flight, one waiting).
 */
import type { ConsentView } from '../../schema/wire/capabilities.ts';
import type { PortalEvent } from '../../schema/wire/events.ts';
import type { NoticesAnswer, NoticeView } from '../../schema/wire/rooms.ts';
import { text } from '../i18n/i18n.ts';
import { sayError } from '../session/say-error.ts';
import { createRetry } from '../state/retry.ts';
import { createSignal, type Signal } from '../state/signal.ts';
import { noticeText, pendingText } from './notice-words.ts';
import type { Shell } from '../windows/shell.ts';

export interface BellDesk extends Shell {
  readonly bell: BellModel;
  readonly bellOpen: Signal<boolean>;
  /** The window that sent a notice, by the id of the notice: as long as this page lives. */
  readonly noticeWindows: Map<string, string>;
}

export interface BellState extends NoticesAnswer {
  /** Requests of backends that the person has not answered, newest first. */
  readonly pendentes: readonly ConsentView[];
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
  consents(): Promise<readonly ConsentView[]>;
  markRead(ids: readonly string[] | null): Promise<NoticesAnswer>;
}

/** Get in words what came since the last reading. */
export interface BellSays {
  notice(words: string, notice: NoticeView): void;
  pending(words: string): void;
}

/** The answer to marking notices does not carry `pendentes`. */
type Reading = NoticesAnswer & Partial<Pick<BellState, 'pendentes'>>;

/** The number at the bell: unread notices and unanswered requests. */
export const waiting = ({ naoLidos, pendentes }: Pick<BellState, 'naoLidos' | 'pendentes'>): number => naoLidos + pendentes.length;

export function createBellModel(portal: BellPortal, says: BellSays): BellModel {
  const state = createSignal<BellState>({ avisos: [], naoLidos: 0, pendentes: [], loaded: false, problem: null });
  let reading = false;
  let again = false;

  const take = (now: Reading): void => {
    const before = state.get();
    retry.succeeded();
    const { avisos, pendentes } = { ...before, ...now };
    state.set({ avisos, pendentes, naoLidos: now.naoLidos, loaded: true, problem: null });
    if (!before.loaded) return;
    const known = new Set([...before.avisos, ...before.pendentes].map(({ id }) => id));
    const came = avisos.find((notice) => !notice.lido && !known.has(notice.id));
    if (came !== undefined) says.notice(text('bell.came', { aviso: noticeText(came) }), came);
    const asked = pendentes.find(({ id }) => !known.has(id));
    if (asked !== undefined) says.pending(pendingText(asked));
  };
  const carryOut = async (ask: () => Promise<Reading>): Promise<void> => {
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
    await carryOut(async () => {
      const [notices, consents] = await Promise.all([portal.read(), portal.consents()]);
      return { ...notices, pendentes: consents.filter(({ resposta }) => resposta === 'pendente') };
    });
    reading = false;
    if (again) await refresh();
  };
  const retry = createRetry(() => void refresh());

  return {
    state,
    refresh: () => void refresh(),
    apply: ({ type }) => {
      if (type === 'avisos' || type === 'consentimentos') void refresh();
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
