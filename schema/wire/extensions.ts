/**
 * Browser extensions that pair with apps, as the portal tells them. Source: rules 2.1 `browserExtension`. Decision:
 * docs/decisions/0206-extension-catalogue.md
 */
import { closed, list, nullable, oneOf, text } from '../static.ts';

export const extensionBrowsers = ['chrome', 'edge', 'firefox', 'opera', 'safari'] as const;
/** What an app offers to the person who has it: never installed by itself. */
export const extensionOffer = closed({
  id: text,
  nome: text,
  /** Why the app asks for it, in its own words. */
  razao: nullable('string'),
  /** Where each browser installs it: https alone. */
  navegadores: list(closed({ navegador: oneOf(extensionBrowsers), endereco: text })),
});
