/**
 * Parses a tar from chunks of any size and calls a sink, synchronously and in order, for each entry. An entry is refused before the sink
 * sees it; the sink never gets a name twice, nor one that leaves the root folder.
 */
import { limits } from './limits.ts';
import { type ArchiveSink, type EntryTree, type TarCounts, entryTree } from './entry-tree.ts';
import { blockBytes, readHeader, readPax } from './header.ts';
import { type ArchiveLimits, refuse } from './rules.ts';

export interface TarReader {
  readonly push: (chunk: Buffer) => void;
  /** Throws unless the archive was whole. */
  readonly end: () => TarCounts;
}

interface Part {
  readonly kind: 'file' | 'padding' | 'pax';
  readonly left: number;
}
type Mode = { readonly kind: 'block' } | { readonly kind: 'tail' } | Part;

export function tarReader(sink: ArchiveSink, archiveLimits: ArchiveLimits, root?: string): TarReader {
  const tree = entryTree(sink, archiveLimits, root);
  const states = entryStates(sink, tree);
  const partial = Buffer.alloc(blockBytes);
  let held = 0;
  let mode: Mode = { kind: 'block' };
  let tailBytes = 0;

  const push = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.length;) {
      const rest = chunk.length - at;
      let taken: number;
      if (mode.kind === 'tail') {
        taken = rest;
        tailBytes += rest;
        if (tailBytes > limits.archiveTailBytesMax || !isZero(chunk.subarray(at))) refuse('TRAILING', 'there are bytes behind its end');
      } else if (mode.kind !== 'block') {
        taken = Math.min(mode.left, rest);
        mode = states.takePart(chunk.subarray(at, at + taken), mode);
      } else if (held === 0 && rest >= blockBytes) {
        taken = blockBytes;
        mode = states.takeBlock(chunk.subarray(at, at + taken));
      } else {
        taken = Math.min(blockBytes - held, rest);
        chunk.copy(partial, held, at, at + taken);
        held = (held + taken) % blockBytes;
        if (held === 0) mode = states.takeBlock(partial);
      }
      at += taken;
    }
  };

  const end = (): TarCounts => {
    if (mode.kind !== 'tail' || tailBytes % blockBytes !== 0) refuse('TRUNCATED', 'the tar ends too early');
    return tree.counts();
  };
  return { push, end };
}

interface EntryStates {
  readonly takeBlock: (block: Buffer) => Mode;
  /** Some of what is left of an entry. */
  readonly takePart: (part: Buffer, current: Part) => Mode;
}

/** What one block, or one part of an entry, leads to. */
function entryStates(sink: ArchiveSink, tree: EntryTree): EntryStates {
  let zeroBlocks = 0;
  let pax: Buffer[] = [];
  /** Undefined when no pax header precedes the entry, null when it holds no path. */
  let paxPath: string | null | undefined;

  const takePax = (bytes: number): Mode => {
    if (paxPath !== undefined) refuse('PAX', 'two pax headers for one entry');
    if (bytes < 1 || bytes > limits.archivePaxBytesMax) refuse('PAX', 'a pax header of no usual size');
    pax = [];
    return { kind: 'pax', left: bytes };
  };

  const takeBlock = (block: Buffer): Mode => {
    if (isZero(block)) {
      if (paxPath !== undefined) refuse('PAX', 'a pax header without its entry');
      zeroBlocks += 1;
      return { kind: zeroBlocks === 2 ? 'tail' : 'block' };
    }
    if (zeroBlocks > 0) refuse('HEADER', 'an empty block among the entries');
    const header = readHeader(block);
    if (header.type === 'pax') return takePax(header.bytes);
    tree.add(header, paxPath ?? header.name);
    paxPath = undefined;
    if (header.type === 'file' && header.bytes > 0) return { kind: 'file', left: header.bytes };
    if (header.type === 'file') sink.endFile();
    return { kind: 'block' };
  };

  const takePart = (part: Buffer, current: Part): Mode => {
    if (current.kind === 'file') sink.data(part);
    else if (current.kind === 'pax') pax.push(Buffer.from(part));
    else if (!isZero(part)) refuse('HEADER', 'bytes between two entries');
    const left = current.left - part.length;
    if (left > 0) return { kind: current.kind, left };
    if (current.kind === 'padding') return { kind: 'block' };
    if (current.kind === 'file') {
      sink.endFile();
      return padded(tree.fileBytes());
    }
    const record = Buffer.concat(pax);
    paxPath = readPax(record);
    return padded(record.length);
  };
  return { takeBlock, takePart };
}

function padded(bytes: number): Mode {
  const left = (blockBytes - (bytes % blockBytes)) % blockBytes;
  return left === 0 ? { kind: 'block' } : { kind: 'padding', left };
}

const zeros = Buffer.alloc(64 * 1_024);

function isZero(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += zeros.length) {
    const part = bytes.subarray(at, at + zeros.length);
    if (!part.equals(zeros.subarray(0, part.length))) return false;
  }
  return true;
}
