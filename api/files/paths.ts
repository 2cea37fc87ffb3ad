/** Paths and names as they come in, checked before anything is asked of a server. */
import { SvcError } from '../../schema/errors.ts';
import { isTooLong, nameBytes, pathBytes, pathText, textBytes } from '../../schema/wire/file-path.ts';

/** `field`: of the request, for the error. */
export function pathIn(text: string, field = 'caminho'): Uint8Array {
  const bytes = pathBytes(text);
  if (bytes === null) {
    if (isTooLong(text)) throw new SvcError('FILE_NAME_REFUSED', `${field}: the path, or a name in it, is longer than a file can have`);
    throw new SvcError('BAD_REQUEST', `${field}: expected an absolute path, with no ".", ".." or empty name in it, and "%25" for "%"`);
  }
  return bytes;
}

export function pathsIn(text: string | readonly string[]): readonly Uint8Array[] {
  return (typeof text === 'string' ? [text] : text).map((each) => pathIn(each));
}

export function nameIn(text: string): Uint8Array {
  const bytes = nameBytes(text);
  if (bytes === null) {
    if (textBytes(text) === null) throw new SvcError('BAD_REQUEST', 'nome: expected one name in its exact form, with "%25" for "%"');
    throw new SvcError(
      'FILE_NAME_REFUSED',
      'nome: expected one name, without "/", not "." or "..", not empty, and no longer than 255 bytes',
    );
  }
  return bytes;
}

/** A download keeps its name, as far as browsers take it. Source: RFC 6266, RFC 8187. */
export function attachmentOf(name: Uint8Array): string {
  const shown = pathText(name).replaceAll('%25', '%');
  const plain = shown.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  return `attachment; filename="${plain}"; filename*=${extendedValue(shown)}`;
}

/** Text as a parameter of a header. Source: RFC 8187, 3.2. */
export function extendedValue(text: string): string {
  return `UTF-8''${encodeURIComponent(text).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)}`;
}
