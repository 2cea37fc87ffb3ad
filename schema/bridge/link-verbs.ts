/** The verb for links. The specification names none; links that are clicked go the same way. Decision: docs/decisions/0224-links.md */
import { text } from './check.ts';
import { limits } from './limits.ts';
import { askedOrOwn } from './verb.ts';

export const linkVerbs = {
  /**
   * Opens a page of the web: in the app that declares its host (`opens.urls`), else in a new tab (`app` is null). Rejects with `sem-gesto` without a press in the window in front. A clicked link of the page that leads elsewhere goes this way by itself.
   */
  'links.abrir': askedOrOwn<{ readonly endereco: string }, { readonly app: string | null }>('{ readonly app: string | null }', {
    args: { endereco: text(limits.linkCharsMax) },
  }),
};
