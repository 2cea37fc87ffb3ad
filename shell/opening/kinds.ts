/**
 * Kinds of files that the desktop knows by itself: by extension, by a name without one, by media type. It draws them with icons of its own, and
 * most have a destination of its own. Source: rules 2.1 `opens.default`, `opens.proprios`. Decision: docs/decisions/0222-what-opens-what.md
 */

export const kinds = ['folder', 'image', 'video', 'audio', 'compressed', 'code', 'page', 'text', 'office', 'pdf', 'unknown'] as const;
export type Kind = (typeof kinds)[number];

/** Where the desktop itself opens a file; `@`, so that none is the id of an app. */
export const destinations = ['@viewer', '@editor', '@files'] as const;
export type Destination = (typeof destinations)[number];

interface KindRow {
  /** Goes to no app by itself, whatever apps ask for. */
  readonly isOwn: boolean;
  /** The first one opens it; the others are offered in "Open with". */
  readonly opens: readonly Destination[];
  readonly extensions: string;
  /** Whole media types, or their beginnings. */
  readonly mimeTypes: readonly string[];
}

/** In the order in which media types are asked: `text/html` is a page before it is text. */
const rows: Readonly<Record<Exclude<Kind, 'folder' | 'unknown'>, KindRow>> = {
  image: {
    isOwn: false,
    opens: ['@viewer'],
    extensions: 'apng avif bmp gif heic heif ico jfif jpe jpeg jpg png svg svgz tif tiff webp',
    mimeTypes: ['image/'],
  },
  video: {
    isOwn: false,
    opens: ['@viewer'],
    extensions: '3gp avi m4v mkv mov mp4 mpeg mpg ogv webm wmv',
    mimeTypes: ['video/'],
  },
  audio: {
    isOwn: false,
    opens: ['@viewer'],
    extensions: 'aac aiff flac m4a mid midi mp3 oga ogg opus wav weba wma',
    mimeTypes: ['audio/'],
  },
  compressed: {
    isOwn: true,
    opens: ['@files'],
    extensions: '7z bz2 gz lz4 lzma rar tar tar.bz2 tar.gz tar.xz tar.zst tbz2 tgz txz tzst xz zip zst',
    mimeTypes: [
      'application/gzip',
      'application/x-7z-compressed',
      'application/x-bzip2',
      'application/x-rar',
      'application/x-tar',
      'application/x-xz',
      'application/zip',
      'application/zstd',
      'application/vnd.rar',
    ],
  },
  page: { isOwn: true, opens: ['@viewer', '@editor'], extensions: 'htm html xhtml', mimeTypes: ['text/html', 'application/xhtml+xml'] },
  code: {
    isOwn: true,
    opens: ['@editor'],
    extensions: `asm bash bat c cc clj cmake coffee cpp cs css cxx dart diff erl ex exs f90 fish go gradle groovy h hh hpp hs htaccess java jl js json json5 jsonc jsx
      kt kts less lua m4 mjs cjs mts cts ml mm nim nix patch php pl pm proto ps1 py pyi r rb rs sass scala scss sh sql svelte swift tcl tex tf toml ts tsx vb vim vue xml
      xsd xsl yaml yml zig zsh`,
    mimeTypes: [
      'application/ecmascript',
      'application/javascript',
      'application/json',
      'application/sql',
      'application/toml',
      'application/typescript',
      'application/x-sh',
      'application/xml',
      'application/yaml',
      'text/css',
      'text/javascript',
      'text/x-',
      'text/xml',
    ],
  },
  pdf: { isOwn: false, opens: ['@viewer'], extensions: 'pdf', mimeTypes: ['application/pdf'] },
  office: {
    isOwn: false,
    opens: [],
    extensions: 'doc docm docx dot dotx fodp fods fodt odg odp ods odt pot potx pps ppsx ppt pptx rtf xls xlsb xlsm xlsx xltx',
    mimeTypes: [
      'application/msword',
      'application/rtf',
      'application/vnd.ms-excel',
      'application/vnd.ms-powerpoint',
      'application/vnd.oasis.opendocument.',
      'application/vnd.openxmlformats-officedocument.',
      'text/rtf',
    ],
  },
  text: {
    isOwn: true,
    opens: ['@editor'],
    extensions: 'cfg conf csv env ini log markdown md nfo properties rst srt text tsv txt vtt',
    mimeTypes: ['text/'],
  },
};
const kindNames = Object.keys(rows) as readonly (keyof typeof rows)[];

const byExtension: ReadonlyMap<string, Kind> = new Map(
  kindNames.flatMap((kind) => rows[kind].extensions.split(/\s+/).map((extension) => [extension, kind] as const)),
);

/** Files that are known by their whole name, in lower case. */
const byName: ReadonlyMap<string, Kind> = new Map([
  ...['makefile', 'gnumakefile', 'dockerfile', 'containerfile', 'jenkinsfile', 'vagrantfile', 'rakefile', 'gemfile'].map(
    (name) => [name, 'code'] as const,
  ),
  ...['.bashrc', '.bash_profile', '.profile', '.zshrc', '.zprofile', '.vimrc'].map((name) => [name, 'code'] as const),
  ...['readme', 'license', 'licence', 'copying', 'authors', 'changelog', 'notice', 'todo'].map((name) => [name, 'text'] as const),
  ...['.gitignore', '.gitattributes', '.editorconfig', '.npmrc', '.dockerignore', '.inputrc'].map((name) => [name, 'text'] as const),
]);

/** Null: the desktop does not know it. */
export const kindOfExtension = (extension: string): Kind | null => byExtension.get(extension) ?? null;
export const kindOfName = (name: string): Kind | null => byName.get(name.toLowerCase()) ?? null;
export const kindOfMime = (mime: string): Kind | null =>
  kindNames.find((kind) => rows[kind].mimeTypes.some((known) => mime === known || (/[/.-]$/.test(known) && mime.startsWith(known)))) ??
  null;

/** Goes to no app by itself. Source: rules 2.1 `opens.default`: code, text, compressed, HTML. */
export const isOwnKind = (kind: Kind): boolean => kind !== 'folder' && kind !== 'unknown' && rows[kind].isOwn;

/** Where the desktop can open it, the first by itself. An image of text, and what nobody knows, can be looked at as text. */
export function destinationsOf(kind: Kind, extension: string | null): readonly Destination[] {
  if (kind === 'folder') return ['@files'];
  if (kind === 'unknown') return [];
  return extension === 'svg' ? [...rows[kind].opens, '@editor'] : rows[kind].opens;
}
