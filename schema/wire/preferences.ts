/**
 * Choices of a person in the desktop: one document for each person (`/api/preferencias`), as http.ts. Every field may be left out: then the default
 * of the environment applies. Source: rules 2.1 `settingsOptIn`, 2.2, 2.5. Decision: docs/decisions/0202-preferences.md
 */
import { limits } from '../limits.ts';
import { appId } from './http.ts';
import { type Wire, closed } from '../static.ts';

/** Roles that an app with `handles` can take over. Source: rules 2.1 `handles`. */
export const handledRoles = ['terminal', 'editor', 'fileBrowser', 'ide', 'browser'] as const;
/**
 * Differences from what an app's window may do by default: it may read the clipboard, take the whole screen, use the microphone; it may open no
 * further windows, and tell the person nothing. Decision: docs/decisions/0441-permissions-of-a-window.md
 */
export const windowPermissions = ['ler-area', 'tela-cheia', 'microfone', 'sem-janelas', 'sem-avisos'] as const;
export const accents = ['azul', 'verde', 'roxo', 'rosa', 'laranja', 'grafite'] as const;
export const walls = ['brilho', 'horizonte', 'faixas', 'pontos', 'liso'] as const;
const capability = '[a-z][a-z0-9-]*/v[0-9]+';

const mediaSide = `[a-z0-9!#$&^_.+-]{1,${limits.mediaTypeSideCharsMax}}`;
/** In lower case, without the dot. */
export const fileTypeNames = {
  extension: `[a-z0-9][a-z0-9+._-]{0,${limits.fileExtensionCharsMax - 1}}`,
  media: `${mediaSide}/${mediaSide}`,
  /** Length of a whole file name. */
  nameCharsMax: limits.fileNameBytesMax,
};

/** App ids by a name of its own kind; in a patch `null` removes one. */
const byName = <const Value extends object>(pattern: string, value: Value) =>
  ({
    type: 'object',
    maxProperties: limits.preferenceEntriesMax,
    propertyNames: { type: 'string', maxLength: 2 * limits.mediaTypeSideCharsMax + 1, pattern },
    additionalProperties: value,
  }) as const;
const apps = { type: 'array', items: appId, maxItems: limits.preferenceEntriesMax, uniqueItems: true } as const;
const side = { type: 'number', minimum: -100_000, maximum: 100_000 } as const;
const windows = {
  type: 'array',
  maxItems: limits.preferenceWindowsMax,
  items: closed({
    app: appId,
    rota: { type: 'string', maxLength: 512 },
    x: side,
    y: side,
    largura: side,
    altura: side,
    modo: { type: 'string', enum: ['normal', 'maximised', 'left', 'right'] },
    minimizada: { type: 'boolean' },
  }),
} as const;

const names = {
  app: `^(?:${handledRoles.join('|')}|${capability})$`,
  /** An extension without the dot, or the media type of files without one. */
  fileType: `^(?:${fileTypeNames.extension}|${fileTypeNames.media})$`,
  host: '^[a-z0-9*.-]{1,253}$',
  appId: appId.pattern,
};

function fieldsWith<const Value extends object, const Opener extends object, const Link extends object, const Allowed extends object>(
  app: Value,
  opener: Opener,
  link: Link,
  allowed: Allowed,
) {
  return {
    tema: { type: 'string', enum: ['claro', 'escuro', 'sistema'] },
    /** The colour of what is chosen or to be pressed, and what is behind everything. */
    destaque: { type: 'string', enum: accents },
    papel: { type: 'string', enum: walls },
    idioma: { type: 'string', enum: ['pt', 'en', 'sistema'] },
    /** Which notices are shown beside the bell, which keeps all of them. */
    notificacoes: { type: 'string', enum: ['todas', 'mencoes', 'nenhuma'] },
    /** Apps whose section in Settings the person turned on (rules 2.1 `settingsOptIn`). */
    secoesDeApps: apps,
    /** The app for a role or a capability. */
    padroes: byName(names.app, app),
    /** The app that opens a kind of file, or where the desktop opens it (`@viewer`, `@editor`, `@files`). */
    tipos: byName(names.fileType, opener),
    /** The app that opens links to a host, or the browser. */
    links: byName(names.host, link),
    fixados: apps,
    /** By the id of an app. */
    permissoes: byName(names.appId, allowed),
    /** Folders in the sidebar of the file manager, in the exact form. */
    pastas: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: 4_096 },
      maxItems: limits.preferenceFoldersMax,
      uniqueItems: true,
    },
    /** Windows of the last session, the lowest first. */
    janelas: windows,
  } as const;
}

const link = { anyOf: [appId, { type: 'string', enum: ['navegador'] }] } as const;
const opener = { anyOf: [appId, { type: 'string', enum: ['@viewer', '@editor', '@files'] }] } as const;
const allowed = {
  type: 'array',
  items: { type: 'string', enum: windowPermissions },
  maxItems: windowPermissions.length,
  uniqueItems: true,
} as const;
const fields = fieldsWith(appId, opener, link, allowed);
export const preferences = closed(fields, []);

const nullableText = { anyOf: [appId, { type: 'null' }] } as const;
const patched = fieldsWith(
  nullableText,
  { anyOf: [...opener.anyOf, { type: 'null' }] } as const,
  { anyOf: [...link.anyOf, { type: 'null' }] } as const,
  { anyOf: [allowed, { type: 'null' }] } as const,
);
/** A JSON merge patch (RFC 7396): what is null goes back to what the environment does by itself. */
export const preferencesPatch = {
  ...closed(Object.fromEntries(Object.entries(patched).map(([name, schema]) => [name, { anyOf: [schema, { type: 'null' }] }])), []),
  minProperties: 1,
} as const;
export const preferencesAnswer = { ...preferences, additionalProperties: false } as const;
export const preferenceNames = Object.keys(fields) as readonly (keyof typeof fields)[];

export type Preferences = Wire<typeof preferences>;
/** A `null` in a table removes that entry. */
type Patched<Value> = Value extends string | readonly unknown[] | undefined
  ? Value
  : { readonly [Name in keyof Value]: Value[Name] | null };
export type PreferencesPatch = { readonly [Name in keyof Preferences]?: Patched<Preferences[Name]> | null };
