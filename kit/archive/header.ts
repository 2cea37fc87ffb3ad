/** The 512-byte blocks of a tar (POSIX ustar and pax), read strictly and written the one same way. */
import { refuse } from './rules.ts';
import { blockBytes } from './tar-frames.ts';

export interface Header {
  readonly type: 'file' | 'folder' | 'pax';
  /** As written in the archive: a folder still ends in '/'. Empty names are refused later. */
  readonly name: string;
  readonly bytes: number;
  readonly executable: boolean;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads a header block. Unsupported forms of tar are refused with the reason; owners and times are not even read. */
export function readHeader(block: Buffer): Header {
  checkSum(block);
  const magic = block.toString('latin1', 257, 265);
  if (magic !== 'ustar\u000000' && magic !== 'ustar  \0') refuse('HEADER', 'a header that is neither ustar nor pax');
  const name = readName(block, magic);
  const type = readType(block.toString('latin1', 156, 157), name);
  const bytes = readOctal(block.subarray(124, 136), 'size', name);
  const mode = readOctal(block.subarray(100, 108), 'mode', name);
  if (type !== 'pax' && text(block, 157, 257, name) !== '') refuse('LINK', 'a file with a link target', name);
  if (type === 'file' && (mode & 0o6000) !== 0) refuse('SET_ID', 'set-user-id or set-group-id', name);
  if (type === 'folder' && bytes !== 0) refuse('NUMBER', 'a folder with a size', name);
  return { type, name, bytes, executable: (mode & 0o100) !== 0 };
}

function checkSum(block: Buffer): void {
  let sum = 8 * 0x20;
  for (let at = 0; at < blockBytes; at += 1) if (at < 148 || at >= 156) sum += block[at] as number;
  if (readOctal(block.subarray(148, 156), 'checksum') !== sum) refuse('CHECKSUM', 'a header with a wrong checksum');
}

/** GNU writers keep other things where ustar has the prefix: only nothing is taken there. */
function readName(block: Buffer, magic: string): string {
  const name = text(block, 0, 100);
  if (magic === 'ustar  \0') {
    if (block.subarray(345, 500).some((byte) => byte !== 0)) refuse('SPARSE', 'GNU fields in a header', name);
    return name;
  }
  const prefix = text(block, 345, 500);
  return prefix === '' ? name : `${prefix}/${name}`;
}

/** Up to the first NUL; readers disagree about bytes behind it, so none are allowed. */
function text(block: Buffer, from: number, to: number, entry?: string): string {
  const field = block.subarray(from, to);
  const end = field.indexOf(0);
  if (end !== -1 && field.subarray(end).some((byte) => byte !== 0)) refuse('HEADER', 'bytes behind the end of a text', entry);
  return decode(end === -1 ? field : field.subarray(0, end));
}

export function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return refuse('NAME', 'a name that is not UTF-8', Buffer.from(bytes).toString('latin1'));
  }
}

/** Digits and the closing NUL or space. Base-256, signs and empty fields are refused: readers differ about them. */
function readOctal(field: Buffer, what: string, entry?: string): number {
  const digits = /^ *([0-7]+)[ \0]*$/.exec(field.toString('latin1'))?.[1];
  return digits === undefined ? refuse('NUMBER', `the ${what} is no octal number`, entry) : Number.parseInt(digits, 8);
}

function readType(flag: string, name: string): Header['type'] {
  switch (flag) {
    case '0':
    case '\0':
      return 'file';
    case '5':
      return 'folder';
    case 'x':
      return 'pax';
    case '1':
    case '2':
      return refuse('LINK', 'links are not taken', name);
    case '3':
    case '4':
    case '6':
      return refuse('DEVICE', 'devices and pipes are not taken', name);
    case 'L':
    case 'K':
      return refuse('LONG_NAME', 'a GNU long name; pack it with tar --format=ustar or --format=pax', name);
    case 'S':
      return refuse('SPARSE', 'a sparse file', name);
    case 'g':
      return refuse('PAX', 'a global pax header; pack it with tar --format=ustar', name);
    default:
      return refuse('TYPE', `an entry of the type ${JSON.stringify(flag)}`, name);
  }
}

/** Owners, times and comments say nothing about the content; `size`, `linkpath` and vendor keys would contradict the header. */
const withoutEffect = new Set(['mtime', 'atime', 'ctime', 'uid', 'gid', 'uname', 'gname', 'comment']);

/** The `path` of a pax header, or null when it only holds what has no effect here. */
export function readPax(bytes: Buffer): string | null {
  const seen = new Map<string, string>();
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at);
    const digits = space === -1 ? '' : bytes.toString('latin1', at, space);
    if (!/^[1-9][0-9]{0,4}$/.test(digits)) refuse('PAX', 'a pax record without a length');
    const end = at + Number(digits);
    if (end > bytes.length || end <= space + 1 || bytes[end - 1] !== 0x0a) refuse('PAX', 'a pax record of another length');
    const record = decode(bytes.subarray(space + 1, end - 1));
    const equals = record.indexOf('=');
    const key = record.slice(0, equals);
    if (equals < 1 || seen.has(key)) refuse('PAX', 'a pax record without a key, or one key twice');
    if (key !== 'path' && !withoutEffect.has(key)) refuse('PAX', `the pax key ${JSON.stringify(key)} is not taken`);
    seen.set(key, record.slice(equals + 1));
    at = end;
  }
  const path = seen.get('path');
  if (path === '') refuse('PAX', 'an empty pax path');
  return path ?? null;
}

export interface NewEntry {
  /** A folder ends in '/'. */
  readonly name: string;
  readonly bytes: number;
  readonly executable: boolean;
}

/** Blocks before the bytes of an entry: a pax header first when ustar can't say the name. Owner 0, time 0. */
export function writeHeader({ name, bytes, executable }: NewEntry): Buffer {
  const isFolder = name.endsWith('/');
  const mode = isFolder || executable ? 0o755 : 0o644;
  const main = (shown: string): Buffer => block(shown, mode, bytes, isFolder ? '5' : '0');
  if (Buffer.byteLength(name) <= 100 && /^[\u0020-\u007e]*$/.test(name)) return main(name);
  const record = paxRecord('path', name);
  // Cut behind a slash it would be the name of a folder.
  const shown = name
    .replaceAll(/[^\u0020-\u007e]/g, '_')
    .slice(0, 99)
    .replace(/\/$/, '_');
  return Buffer.concat([block('PaxHeader', 0o644, record.length, 'x'), record, padding(record.length), main(shown)]);
}

/** Zeros up to the next block. */
export function padding(bytes: number): Buffer {
  return Buffer.alloc((blockBytes - (bytes % blockBytes)) % blockBytes);
}

/** Its length counts itself. */
function paxRecord(key: string, value: string): Buffer {
  const rest = ` ${key}=${value}\n`;
  const restBytes = Buffer.byteLength(rest);
  let length = restBytes + 1;
  while (restBytes + String(length).length !== length) length = restBytes + String(length).length;
  return Buffer.from(`${length}${rest}`);
}

function block(name: string, mode: number, bytes: number, type: string): Buffer {
  const header = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, digits: number): void => {
    header.write(value.toString(8).padStart(digits, '0'), at, 'latin1');
  };
  header.write(name, 0, 100, 'utf8');
  octal(mode, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(bytes, 124, 11);
  octal(0, 136, 11);
  header.write('        ', 148, 'latin1');
  header.write(type, 156, 'latin1');
  header.write('ustar\u000000', 257, 'latin1');
  octal(0, 329, 7);
  octal(0, 337, 7);
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  header[154] = 0;
  return header;
}
