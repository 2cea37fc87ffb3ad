/**
 * The type under which an attachment is served: what its first bytes say, else what was said of it, if that is a type that no browser runs, styles or
 * shows as a page. Everything else is bytes. Source: WHATWG MIME Sniffing 6 for the marks. Decision: docs/decisions/0377-types-of-attachments.md
 */

/** So many first bytes decide. */
export const headBytes = 64;

export const unknownType = 'application/octet-stream';

/** Pictures that browsers draw and run nothing of. */
const shownInPlace: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);

export const isShownInPlace = (type: string): boolean => shownInPlace.has(type);

const latin = (head: Uint8Array): string => Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1');

/** First match wins. */
const marks: readonly (readonly [type: string, mark: RegExp])[] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBPVP/],
  ['image/avif', /^[^]{4}ftypavi[fs]/],
  ['application/pdf', /^%PDF-/],
];

/**
 * Types of data. Not among them: scripts, styles, HTML, XML other than SVG (which is a download), multipart, and everything that is new.
 * A JSON module or a font is no script.
 */
const data =
  /^(?:(?:image|audio|video|font)\/[a-z0-9.+-]+|text\/(?:plain|csv|tab-separated-values|markdown|calendar|vcard)|application\/(?:pdf|json|geo\+json|ld\+json|zip|gzip|x-tar|x-7z-compressed|x-bzip2|zstd|rtf|msword|epub\+zip|x-ipynb\+json|vnd\.[a-z0-9.-]+))$/;

/** `said` is a media type without parameters, in lower case. */
export function attachmentType(said: string, head: Uint8Array): string {
  return marks.find(([, mark]) => mark.test(latin(head)))?.[0] ?? servedType(said);
}

/** Type under which stored bytes are served, whatever type they were stored with. */
export const servedType = (stored: string): string => (data.test(stored) ? stored : unknownType);
