/** Facts that Settings shows besides preferences and apps: read while its window is open, again when the portal reports a change. */
import type { ConsentView } from '../../schema/wire/capabilities.ts';
import type { PortalEvent } from '../../schema/wire/events.ts';
import type { AppSettings, SettingsAnswer } from '../../schema/wire/settings.ts';
import { sayError } from '../session/say-error.ts';
import { createRetry } from '../state/retry.ts';
import { createSignal, type Signal } from '../state/signal.ts';

export const ownSections = [
  'aparencia',
  'idioma',
  'notificacoes',
  'abrir',
  'padroes',
  'consentimentos',
  'permissoes',
  'extensoes',
  'passkeys',
  'sessoes',
  'salas',
  'atividade',
  'servidor',
  'falhas',
  'segredos',
] as const;
export type OwnSection = (typeof ownSections)[number];
/** `app:ID`: the section of an app. */
export type SectionId = OwnSection | `app:${string}`;

/** The section of an app is there: without `settingsOptIn`, or once the person turned it on. Source: rules 2.1. */
export const isSectionShown = ({ id, secao }: Pick<AppSettings, 'id' | 'secao'>, on: readonly string[]): boolean =>
  secao !== null && (!secao.optIn || on.includes(id));

export interface SettingsState {
  /** Null until the portal answered. */
  readonly answer: SettingsAnswer | null;
  readonly consents: readonly ConsentView[];
  readonly problem: string | null;
}

export interface SettingsModel {
  readonly state: Signal<SettingsState>;
  readonly section: Signal<SectionId>;
  /** Until the returned function is called, what is shown follows the portal. */
  watch(): () => void;
  refresh(): void;
  apply(event: PortalEvent): void;
}

export interface SettingsPortal {
  read(): Promise<SettingsAnswer>;
  consents(): Promise<readonly ConsentView[]>;
}

export function createSettingsModel(portal: SettingsPortal): SettingsModel {
  const state = createSignal<SettingsState>({ answer: null, consents: [], problem: null });
  let watchers = 0;
  let reading = false;
  let again = false;
  const refresh = async (): Promise<void> => {
    again = reading;
    if (reading || watchers === 0) return;
    reading = true;
    try {
      const [answer, consents] = await Promise.all([portal.read(), portal.consents()]);
      state.set({ answer, consents, problem: null });
      retry.succeeded();
    } catch (error) {
      state.set({ ...state.get(), problem: sayError(error) });
      retry.failed(error);
    }
    reading = false;
    if (again) await refresh();
  };
  const retry = createRetry(() => void refresh());
  return {
    state,
    section: createSignal<SectionId>('aparencia'),
    watch: () => {
      watchers += 1;
      void refresh();
      return () => void (watchers -= 1);
    },
    refresh: () => void refresh(),
    apply: ({ type }) => {
      if (type === 'consentimentos' || type === 'apps-changed') void refresh();
    },
  };
}
