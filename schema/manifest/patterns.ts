/** Patterns of the manifest that others need, too. */
export const patterns = {
  id: '^[a-z0-9-]+$',
  capability: '^[a-z][a-z0-9-]*/v[0-9]+$',
  script: '^[A-Za-z0-9][A-Za-z0-9/._-]*\\.js$',
  extension: '^\\.?[A-Za-z0-9][A-Za-z0-9+._-]*$',
  // No scheme and no host: the path is asked of the app's own socket.
  healthcheckPath: '^(?!//|[A-Za-z][A-Za-z0-9+.-]*://)[\\u0021-\\u007e]+$',
  mediaType: '^[a-zA-Z0-9!#$&^_.+-]+/[a-zA-Z0-9!#$&^_.+-]+$',
  memory: '^(none|[0-9]+(\\.[0-9]+)?(K|M|G|T|%)?)$',
  cpu: '^(none|[0-9]+%)$',
  tasks: '^(none|[0-9]+%?)$',
  aoFechar: '^(encerrar|manter|ocioso:[1-9][0-9]{0,3}m)$',
  // Paths that a server joins to a folder: neither absolute nor with ".." or "\\".
  packagePath: '^(?!/)(?!(?:[^]*/)?\\.\\.(?:/|$))[^\\u0000\\\\]+$',
  innerPath: '^(?!(?:.*/)?\\.\\.(?:/|$))[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$',
  variable: '^[A-Z][A-Z0-9_]{0,63}$',
} as const;
