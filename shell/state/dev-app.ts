/** Id of the app that `svc dev` runs in this portal: its icon says so wherever it is drawn. Null everywhere else. */
import { createSignal, type Signal } from './signal.ts';

export const devApp: Signal<string | null> = createSignal<string | null>(null);
