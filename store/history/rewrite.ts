/**
 * History of a document when its log is compacted: rows that are about to go become pieces, and older pieces are merged as the site's rule says.
 * The plan is made from numbers and times alone; the bytes are read for those pieces that it names.
 * Decision: docs/decisions/0447-history-of-rooms.md
 */
import { updatesIn } from '../../schema/room-frames.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import type { HistoryRule } from '../room-log.ts';
import { foldedPiece, pieceOf } from './pieces.ts';
import { type Names, type Piece, type Span, spanOf, thinned, unpackNames } from './spans.ts';

/** When a row was written, and by whom, as it is kept. */
export interface Written {
  readonly atMs: number;
  readonly who: string;
}

/** A piece that is kept, without its bytes. */
export interface KeptPiece extends Span {
  readonly bytes: number;
}

/** The same as a database keeps it. */
export interface PieceRow extends Omit<KeptPiece, 'who'> {
  readonly who: string;
}

export const keptOf = ({ seq, sinceMs, untilMs, who, bytes }: PieceRow): KeptPiece => ({
  seq,
  sinceMs,
  untilMs,
  who: unpackNames(who),
  bytes,
});

/** Parts of the history of a document, without their bytes. */
export interface HistoryOutline {
  /** The base holds every row up to this one; 0: there is none. */
  readonly baseSeq: number;
  /** For each row behind the base. */
  readonly written: readonly Written[];
  readonly pieces: readonly KeptPiece[];
  readonly names: Names;
}

interface Put {
  readonly span: Span;
  /** Span of its base and rows alone; null: it takes in pieces only. */
  readonly young: Span | null;
  /** Numbers of pieces that it takes in. */
  readonly pieces: readonly number[];
  readonly base: boolean;
  /** Rows behind the base that it takes in: from, and up to without. */
  readonly rows: readonly [number, number];
  /** Only what stands in the document is kept. */
  readonly isFolded: boolean;
}

export interface HistoryPlan {
  /** Numbers of all pieces that there are. */
  readonly all: readonly number[];
  /** `forget`: all of them go, and none comes. `apart`: none of them is opened, and what came since is pieces of its own. */
  readonly how: 'merge' | 'apart' | 'forget';
  /** Versions that had names. */
  readonly named: readonly number[];
  readonly puts: readonly Put[];
}

export interface HistoryChange {
  /** Numbers of pieces that go. */
  readonly drop: readonly number[];
  readonly puts: readonly Piece[];
  /** Versions that had names when it was planned. */
  readonly named: readonly number[];
}

/** Somebody gave a name meanwhile, to a version that may be merged with another: the document is compacted another time. */
export const isOutdated = ({ named }: HistoryChange, names: Names): boolean => [...names.keys()].some((seq) => !named.includes(seq));

/** Spans of the outline, the oldest first. A base that no piece leads to stands for what was there before: who wrote it is not known. */
export function spansOf({ baseSeq, written, pieces }: HistoryOutline): readonly Span[] {
  const rows = written.map(({ atMs, who }, at): Span => ({ seq: baseSeq + at + 1, sinceMs: atMs, untilMs: atMs, who: unpackNames(who) }));
  return [...pieces, ...baseSpan({ baseSeq, pieces }), ...rows];
}

function baseSpan({ baseSeq, pieces }: Pick<HistoryOutline, 'baseSeq' | 'pieces'>): readonly Span[] {
  const last = pieces.at(-1);
  if (baseSeq === 0 || (last?.seq ?? 0) >= baseSeq) return [];
  return [{ seq: baseSeq, sinceMs: last?.untilMs ?? 0, untilMs: last?.untilMs ?? 0, who: [] }];
}

export function planHistory(outline: HistoryOutline, { days, nowMs, isApart = false }: HistoryRule): HistoryPlan {
  const { baseSeq, pieces, names } = outline;
  const bytes = new Map(pieces.map((piece) => [piece.seq, piece.bytes]));
  const all = [...bytes.keys()];
  const named = [...names.keys()];
  const isFull =
    all.length > 2 * limits.roomPiecesMax || pieces.reduce((sum, piece) => sum + piece.bytes, 0) > 2 * limits.roomHistoryBytesMax;
  if (days === 0 || (isApart && isFull)) return { all, how: 'forget', named, puts: [] };
  const { groups, forgotten } = thinned(spansOf(outline), { names, days, nowMs, bytesOf: ({ seq }) => bytes.get(seq) ?? 0 });
  const puts = groups.flatMap((group, at): Put[] => {
    const isFolded = at === 0 && forgotten > 0;
    const kept = group.filter(({ seq }) => bytes.has(seq)).map(({ seq }) => seq);
    if (group.length === 1 && kept.length === 1) return [];
    const rows = group.filter(({ seq }) => seq > baseSeq);
    const from = rows.length === 0 ? 0 : rows[0]!.seq - baseSeq - 1;
    const base = group.some(({ seq }) => seq === baseSeq && !bytes.has(seq));
    const taken: readonly [number, number] = [from, from + rows.length];
    // People go on writing: one piece for all of it would be made again each time.
    const isYoung = at === groups.length - 1 && !isFolded && !base && rows.length > 0 && kept.length < limits.roomYoungPiecesMax;
    const others = group.filter(({ seq }) => !bytes.has(seq));
    const young = others.length === 0 ? null : spanOf(others);
    if (isYoung) return [{ span: spanOf(rows), young, pieces: [], base, rows: taken, isFolded }];
    return [{ span: spanOf(group), young, pieces: kept, base, rows: taken, isFolded }];
  });
  return { all, how: isApart ? 'apart' : 'merge', named, puts };
}

export interface HistoryBytes {
  readonly base: Uint8Array | null;
  /** Frames of the rows behind the base. */
  readonly rows: readonly Uint8Array[];
  readonly piece: (seq: number) => Uint8Array;
}

/**
 * Pieces that are too large when they are inflated stay as they are, and what came since is a piece of its own. If such pieces are to be forgotten, all
 * of the history is: a document is compacted whatever its history holds.
 */
export function carryOut({ all, how, named, puts }: HistoryPlan, { base, rows, piece }: HistoryBytes): HistoryChange {
  const budget = { leftBytes: limits.roomMergedBytesMax };
  const [drop, made]: [number[], Piece[]] = [[], []];
  if (how === 'forget') return { drop: all, named, puts: [] };
  for (const put of puts) {
    const updates = [...(put.base && base !== null ? [base] : []), ...rows.slice(...put.rows).flatMap(updatesIn)];
    const isLeft = how === 'apart' && put.pieces.length > 0;
    const bytes = isLeft ? null : (put.isFolded ? foldedPiece : pieceOf)(put.pieces.map(piece), updates, budget);
    if (bytes !== null) {
      drop.push(...put.pieces);
      made.push({ ...put.span, piece: bytes });
    } else if (put.isFolded && !isLeft) return { drop: all, named, puts: [] };
    else if (put.young !== null) made.push({ ...put.young, piece: pieceOf([], updates, budget)! });
  }
  return { drop, named, puts: made };
}

/**
 * Compacts; when that fails, once more without the older pieces. They may be damaged, or take too long to be merged: the document is compacted whatever its
 * history holds.
 */
export async function compactAnyway<Result>(rule: HistoryRule, compact: (rule: HistoryRule) => Promise<Result>): Promise<Result> {
  try {
    return await compact(rule);
  } catch (error) {
    if (!(error instanceof SvcError) || error.code !== 'STORE_FAILED') throw error;
    return await compact({ ...rule, isApart: true });
  }
}
