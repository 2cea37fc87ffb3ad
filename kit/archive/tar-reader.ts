/**
 * Parses the tar of a package from chunks of any size and calls a sink, synchronously and in order, for each entry. An entry is refused before the sink
 * sees it; the sink never gets a name twice, nor one that leaves the root folder.
 */
import { limits } from './limits.ts';
import { type ArchiveSink, type TarCounts, entryTree } from './entry-tree.ts';
import { readHeader, readPax } from './header.ts';
import { type ArchiveLimits, refuse } from './rules.ts';
import { isZero, tarFrames, type Announced } from './tar-frames.ts';

export interface TarReader {
  readonly push: (chunk: Buffer) => void;
  /** Throws unless the archive was whole. */
  readonly end: () => TarCounts;
}

export function tarReader(sink: ArchiveSink, archiveLimits: ArchiveLimits, root?: string): TarReader {
  const tree = entryTree(sink, archiveLimits, root);
  let zeroBlocks = 0;
  let isFile = false;
  /** Undefined when no pax header precedes the entry, null when it holds no path. */
  let paxPath: string | null | undefined;

  const takePax = (bytes: number): Announced => {
    if (paxPath !== undefined) refuse('PAX', 'two pax headers for one entry');
    if (bytes < 1) refuse('PAX', 'a pax header of no usual size');
    return { kind: 'held', bytes };
  };

  const frames = tarFrames({
    header: (block) => {
      if (zeroBlocks > 0) refuse('HEADER', 'an empty block among the entries');
      const header = readHeader(block);
      if (header.type === 'pax') return takePax(header.bytes);
      const name = paxPath ?? header.name;
      // Not of the header's own name: a path that is too long for it may be cut behind a slash.
      if (header.type === 'file' && name.endsWith('/')) refuse('TYPE', 'a file with the name of a folder', name);
      tree.add(header, name);
      paxPath = undefined;
      isFile = header.type === 'file';
      return { kind: 'content', bytes: header.bytes };
    },
    held: (record) => {
      paxPath = readPax(record);
    },
    data: sink.data,
    endContent: () => {
      if (isFile) sink.endFile();
    },
    padding: (part) => {
      if (!isZero(part)) refuse('HEADER', 'bytes between two entries');
    },
    emptyBlock: () => {
      if (paxPath !== undefined) refuse('PAX', 'a pax header without its entry');
      zeroBlocks += 1;
      return zeroBlocks === 2;
    },
    tail: (part, bytes) => {
      if (bytes > limits.archiveTailBytesMax || !isZero(part)) refuse('TRAILING', 'there are bytes behind its end');
    },
    tooLong: () => refuse('PAX', 'a pax header of no usual size'),
    heldBytesMax: limits.archivePaxBytesMax,
  });

  const end = (): TarCounts => {
    if (frames.place() !== 'end') refuse('TRUNCATED', 'the tar ends too early');
    return tree.counts();
  };
  return { push: frames.push, end };
}
