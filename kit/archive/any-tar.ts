/**
 * Reads the tars that people bring: "extract here" of the files of a person. The strict reader of packages is tar-reader.ts; both stand on tar-frames.ts. Synchronous, and
 * bounded in what it holds. Where entries may go is for who takes them. Decision: docs/decisions/0370-one-reader-of-tars.md
 */
import { readAnyHeader, readAnyPax, type AnyHeader, type AnyKind, type AnyPax } from './any-header.ts';
import { refuse } from './rules.ts';
import { tarFrames, type Announced } from './tar-frames.ts';

export interface AnyEntry {
  readonly name: Buffer;
  /** `same`: another name of a file before it. */
  readonly kind: AnyKind;
  /** Target of `link` and of `same`. */
  readonly target: Buffer;
  readonly bytes: number;
  readonly mode: number;
  readonly modifiedMs: number;
}

export interface AnySink {
  readonly entry: (entry: AnyEntry) => void;
  readonly data: (part: Buffer) => void;
  readonly endEntry: () => void;
}

export interface AnyLimits {
  readonly entriesMax: number;
  /** Size of an extension header. */
  readonly headerBytesMax: number;
}

export interface AnyTarReader {
  /** Bytes behind two empty blocks are ignored. Throws ARCHIVE_REFUSED; the rules SPARSE and TYPE mean a valid form that is not supported here. */
  readonly push: (chunk: Buffer) => void;
  /** Throws when it broke off within an entry. Many writers leave out the empty blocks. */
  readonly end: () => void;
}

/** Extension headers that one entry may have: two of pax, a long name, a long target. */
const headersPerEntry = 4;

export function anyTarReader(sink: AnySink, { entriesMax, headerBytesMax }: AnyLimits): AnyTarReader {
  let zeroBlocks = 0;
  let [entries, headers] = [0, 0];
  let holds: AnyHeader['kind'] = 'file';
  /** Only a time is taken from a global header: one name for all that follow would mean nothing. */
  let globalMs: number | undefined;
  let pax: AnyPax = {};
  let long: { readonly name?: Buffer; readonly target?: Buffer } = {};

  const header = (block: Buffer): Announced => {
    zeroBlocks = 0;
    const found = readAnyHeader(block);
    holds = found.kind;
    headers += 1;
    if (headers > headersPerEntry * entriesMax) tooMany(entriesMax);
    if (found.kind === 'x' || found.kind === 'g' || found.kind === 'L' || found.kind === 'K') return { kind: 'held', bytes: found.bytes };
    entries += 1;
    if (entries > entriesMax) tooMany(entriesMax);
    const entry = entryOf({ ...found, kind: found.kind }, pax, long, globalMs);
    [pax, long] = [{}, {}];
    sink.entry(entry);
    return { kind: 'content', bytes: entry.bytes };
  };

  const held = (bytes: Buffer): void => {
    if (holds === 'x') pax = readAnyPax(bytes);
    else if (holds === 'g') globalMs = readAnyPax(bytes).modifiedMs ?? globalMs;
    else {
      const end = bytes.indexOf(0);
      const text = end === -1 ? bytes : bytes.subarray(0, end);
      if (text.length > 0) long = { ...long, [holds === 'L' ? 'name' : 'target']: text };
    }
  };

  const frames = tarFrames({
    header,
    held,
    data: sink.data,
    endContent: sink.endEntry,
    padding: () => undefined,
    emptyBlock: () => {
      zeroBlocks += 1;
      return zeroBlocks === 2;
    },
    tail: () => undefined,
    tooLong: () => refuse('LENGTH', `a header of more than ${headerBytesMax} bytes`),
    heldBytesMax: headerBytesMax,
  });
  return {
    push: frames.push,
    end: () => {
      if (zeroBlocks < 2 && frames.place() !== 'block') refuse('TRUNCATED', 'the tar ends too early');
    },
  };
}

const tooMany = (entriesMax: number): never => refuse('ENTRIES', `it holds more than ${entriesMax} entries`);

function entryOf(
  found: AnyHeader & { readonly kind: AnyKind },
  pax: AnyPax,
  long: { readonly name?: Buffer; readonly target?: Buffer },
  globalMs: number | undefined,
): AnyEntry {
  const name = pax.path ?? long.name ?? found.name;
  // V7 knows no folders: a name that ends like one is one.
  const kind = found.kind === 'file' && name.at(-1) === 0x2f ? 'folder' : found.kind;
  return {
    name,
    kind,
    target: pax.linkpath ?? long.target ?? found.target,
    bytes: kind === 'same' || kind === 'folder' ? 0 : (pax.bytes ?? found.bytes),
    mode: found.mode,
    modifiedMs: pax.modifiedMs ?? globalMs ?? found.modifiedMs,
  };
}
