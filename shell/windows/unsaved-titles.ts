import type { Shell } from './shell.ts';
import type { Unsaved } from './unsaved.ts';

/** Titles of windows that something is not saved in; of one app, or of all. */
export const unsavedTitles = (
  { windows, unsaved }: Pick<Shell, 'windows'> & { readonly unsaved: Unsaved },
  app?: string,
): readonly string[] =>
  windows.windows
    .get()
    .filter((window) => unsaved.state.get().has(window.id) && (app === undefined || window.app === app))
    .map(({ id, options }) => unsaved.state.get().get(id)?.name ?? options.title);
