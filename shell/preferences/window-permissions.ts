/**
 * Permissions of the window of each app, as the person chose them. The browser asks for a permission under the name of the desktop and remembers it for
 * that: which app it is passed on to is decided here. Decision: docs/decisions/0441-permissions-of-a-window.md
 */
import type { AppProjection } from '../../schema/wire/http.ts';
import type { Preferences, PreferencesPatch, windowPermissions } from '../../schema/wire/preferences.ts';
import type { TextKey } from '../i18n/i18n.ts';
import { createSignal } from '../state/signal.ts';

type Difference = (typeof windowPermissions)[number];

export interface Permission {
  readonly id: Difference;
  readonly label: TextKey;
  readonly hint: TextKey;
  /** Without a choice of the person. */
  readonly isOn: boolean;
  /** Passed on to the frame by this name; null: kept in another way. */
  readonly feature: string | null;
}

export const permissions: readonly Permission[] = [
  { id: 'ler-area', label: 'permissions.read', hint: 'permissions.readHint', isOn: false, feature: 'clipboard-read' },
  { id: 'tela-cheia', label: 'permissions.fullscreen', hint: 'permissions.fullscreenHint', isOn: false, feature: 'fullscreen' },
  { id: 'microfone', label: 'permissions.microphone', hint: 'permissions.microphoneHint', isOn: false, feature: 'microphone' },
  { id: 'sem-janelas', label: 'permissions.popups', hint: 'permissions.popupsHint', isOn: true, feature: null },
  { id: 'sem-avisos', label: 'permissions.notices', hint: 'permissions.noticesHint', isOn: true, feature: null },
];

/** The app whose permissions Settings shows; null: the first. */
export const permissionsApp = createSignal<string | null>(null);

/** In path mode every app has the origin of the desktop: what one is allowed, all are. There it takes a tab. */
export const canPassOn = ({ url }: Pick<AppProjection, 'url'>): boolean => new URL(url, location.href).origin !== location.origin;

export function isAllowed(preferences: Preferences | null, app: string, { id, isOn }: Pick<Permission, 'id' | 'isOn'>): boolean {
  return (preferences?.permissoes?.[app] ?? []).includes(id) !== isOn;
}

/** The change that allows it, or takes it back: what is as by default is not stored. */
export function allowing(app: string, { id, isOn }: Permission, allowed: boolean): (now: Preferences) => PreferencesPatch {
  return ({ permissoes }) => {
    const others = (permissoes?.[app] ?? []).filter((other) => other !== id);
    const next = allowed === isOn ? others : [...others, id];
    return { permissoes: { [app]: next.length === 0 ? null : next } };
  };
}

const named = (id: Difference): Permission => permissions.find((permission) => permission.id === id)!;
export const mayOpenWindows = (preferences: Preferences | null, app: string): boolean => isAllowed(preferences, app, named('sem-janelas'));
export const mayTell = (preferences: Preferences | null, app: string): boolean => isAllowed(preferences, app, named('sem-avisos'));

/** Names for the `allow` of the app's frame. */
export const passedOn = (preferences: Preferences | null, app: string): readonly string[] =>
  permissions.flatMap((permission) => (permission.feature !== null && isAllowed(preferences, app, permission) ? [permission.feature] : []));
