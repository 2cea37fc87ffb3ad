/**
 * Additions of apps to Settings, for the shell (`GET /api/configuracoes`), as http.ts: read from manifests, no app is started to know.
 * Source: rules 2.1 `handles`, `opens`, `provides`, `contributes`. Decision: docs/decisions/0204-scripts-in-the-shell.md
 */
import { extensionOffer } from './extensions.ts';
import { handledRoles } from './preferences.ts';
import { type Wire, closed, count, flag, list, nullable, oneOf, orNull, strings, text } from '../static.ts';

const appSettings = closed({
  id: text,
  nome: text,
  escopo: orNull(oneOf(['sistema', 'pessoa'])),
  /** The role that it can take over. */
  papel: orNull(oneOf(handledRoles)),
  oferece: strings,
  /** Hosts whose links it opens. */
  hosts: strings,
  /** Extensions that it opens, without the dot; `pede`: it asks for the double-click (`opens.default`). */
  tipos: list(closed({ extensao: text, pede: flag })),
  /** Media types that it opens, in lower case. */
  midias: list(closed({ tipo: text, pede: flag })),
  /** Its own types, of extensions in `tipos`; `icone` is an address, null: the icon of the app. */
  proprios: list(closed({ extensao: text, nome: text, cor: text, selo: nullable('string'), icone: nullable('string') })),
  /** Its entries of context menus; `extensoes` null: every file, `rota` null: it is opened with what was clicked. */
  menu: list(
    closed({
      id: text,
      superficie: oneOf(['arquivo', 'pasta', 'area-de-trabalho', 'icone-do-app']),
      rotulo: text,
      ordem: count,
      extensoes: orNull(strings),
      rota: nullable('string'),
    }),
  ),
  /**
   * Its section in Settings. Not `permitida`: the package is of a person's own scope, and the admin allows none of those. `optIn`: shown once the
   * person turned it on in the app.
   */
  secao: orNull(closed({ endereco: text, permitida: flag, optIn: flag })),
  /** The browser extension that it suggests; null where the catalogue of the repository lacks it. */
  extensao: orNull(extensionOffer),
});
export type AppSettings = Wire<typeof appSettings>;
export const settingsAnswer = closed({
  /** The server of the person. */
  servidor: nullable('string'),
  apps: list(appSettings),
  /** The portal takes passkeys. */
  passkeys: flag,
});
export type SettingsAnswer = Wire<typeof settingsAnswer>;
