/**
 * Browser extensions that pair with apps, as the portal describes them. Source: rules 2.1 `browserExtension`. Decision:
 * docs/decisions/0206-extension-catalogue.md
 */
import { closed, list, nullable, oneOf, text } from '../static.ts';

export const extensionBrowsers = ['chrome', 'edge', 'firefox', 'opera', 'safari'] as const;
/** An extension that an app offers to its person: never installed by itself. */
export const extensionOffer = closed({
  id: text,
  nome: text,
  /** Why the app asks for it, in its own words. */
  razao: nullable('string'),
  /** Where each browser installs it: https alone. */
  navegadores: list(closed({ navegador: oneOf(extensionBrowsers), endereco: text })),
});
