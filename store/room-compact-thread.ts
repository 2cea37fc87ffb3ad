/** The thread in which documents are built: for compaction, and to look for attachments. It only reads the file, or what is handed to it. */
import { DatabaseSync } from 'node:sqlite';
import { getPriority, setPriority } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { collector } from '../schema/garbage.ts';
import { canais, type VersionForm } from '../schema/rooms.ts';
import { updatesIn } from '../schema/room-frames.ts';
import { addressesIn, compactUpdates, documentOf } from './room-compaction.ts';
import { documentWithDeleted } from './history/pieces.ts';
import { carryOut, type HistoryChange, type HistoryPlan, planHistory } from './history/rewrite.ts';
import { historyReader } from './history/sqlite-history.ts';
import { revertTo, versionIn, type WholeHistory } from './history/view.ts';
import { limits } from './limits.ts';
import { costOf, type CostRequest } from './room-cost.ts';
import { describeBase, documentReader } from './room-log-database.ts';
import type { CompactedRoom, HistoryRule, RoomKey } from './room-log.ts';
import { integrable, mendedRows } from './room-mending.ts';
import { answerRequests } from './room-thread-answers.ts';

/** A document as it is kept: all that a base or a search for attachments is made of. */
export interface ReadDocument {
  readonly base: Uint8Array | null;
  readonly baseSeq: number;
  /** Frames of updates. */
  readonly rows: readonly Uint8Array[];
  /** Number of the last row. */
  readonly seq: number;
}

/** Pieces of its history, by their numbers. */
export type ReadPieces<Memory extends ArrayBufferLike = ArrayBufferLike> = readonly {
  readonly seq: number;
  readonly piece: Uint8Array<Memory>;
}[];

/** Requests with `read` bring what the others find in a file. */
export type CompactRequest =
  | { readonly kind: 'compact'; readonly key: RoomKey; readonly rule: HistoryRule }
  | { readonly kind: 'attachments'; readonly sala: string }
  | { readonly kind: 'version'; readonly key: RoomKey; readonly seq: number; readonly form: VersionForm }
  | { readonly kind: 'revert'; readonly key: RoomKey; readonly seq: number }
  | { readonly kind: 'compact-read'; readonly document: ReadDocument; readonly plan: HistoryPlan; readonly pieces: ReadPieces }
  | { readonly kind: 'attachments-read'; readonly documents: readonly (ReadDocument & { readonly pieces: ReadPieces })[] }
  | { readonly kind: 'version-read'; readonly history: WholeHistory; readonly seq: number; readonly form: VersionForm }
  | { readonly kind: 'revert-read'; readonly history: WholeHistory; readonly seq: number }
  | { readonly kind: 'cost'; readonly of: CostRequest }
  | { readonly kind: 'nothing' };

export interface CompactedWithHistory extends CompactedRoom {
  readonly history: HistoryChange;
}

function compacted(stored: ReadDocument, plan: HistoryPlan, piece: (seq: number) => Uint8Array): CompactedWithHistory {
  const mended = mendedRows(stored.base, stored.rows);
  const { state, dropped } = compactUpdates({ ...mended, updates: mended.rows.flatMap(updatesIn) });
  if (state.length > limits.roomBaseBytesMax)
    throw new Error(`its base has ${state.length} bytes, the limit is ${limits.roomBaseBytesMax}`);
  const history = carryOut(plan, { ...mended, piece });
  return { base: state, ...describeBase(state), seq: stored.seq, dropped, history };
}

function attachmentsOf(documents: readonly Omit<WholeHistory, 'baseSeq'>[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const stored of documents) {
    // A version with it may be brought back.
    const past = documentWithDeleted(stored.pieces.map(({ piece }) => piece));
    for (const address of addressesIn(past, [], true)) found.add(address);
    past.destroy();
    const base = stored.base === null ? [] : [stored.base];
    const { base: whole, updates } = integrable(stored.base, stored.rows.flatMap(updatesIn));
    const doc = documentOf([...(whole === null ? [] : [whole]), ...updates]);
    for (const address of addressesIn(doc, [...base, ...stored.rows])) found.add(address);
  }
  return found;
}

function openReader(file: string | null): (request: CompactRequest) => unknown {
  const answersOfFile = file === null ? null : fileAnswers(new DatabaseSync(file, { readOnly: true, timeout: 5_000 }));
  return (request) => {
    switch (request.kind) {
      case 'compact-read':
        return compacted(request.document, request.plan, pieceIn(request.pieces));
      case 'attachments-read':
        return attachmentsOf(request.documents);
      case 'version-read':
        return versionIn(request.history, request.seq, request.form);
      case 'revert-read':
        return revertTo(request.history, request.seq);
      case 'cost':
        return costOf(request.of);
      case 'nothing':
        return null;
      default:
        return answersOfFile?.(request) ?? null;
    }
  };
}

const pieceIn =
  (pieces: ReadPieces) =>
  (seq: number): Uint8Array => {
    const found = pieces.find((one) => one.seq === seq);
    if (found === undefined) throw new Error(`piece ${seq} of a history is missing`);
    return found.piece;
  };

type FileRequest = Extract<CompactRequest, { readonly kind: 'compact' | 'attachments' | 'version' | 'revert' }>;

/** Answers about documents of a file. */
function fileAnswers(database: DatabaseSync): (request: FileRequest) => unknown {
  const read = documentReader(database);
  const history = historyReader(database);
  const compact = (key: RoomKey, rule: HistoryRule): CompactedWithHistory | null => {
    const stored = read(key);
    if (!stored || stored.rows.length === 0) return null;
    const { id } = stored;
    const plan = planHistory({ ...stored, pieces: history.pieces(id), names: history.names(id) }, rule);
    return compacted(stored, plan, (seq) => history.piece(id, seq));
  };
  const whole = (key: RoomKey): WholeHistory | null => {
    const stored = read(key);
    if (!stored) return null;
    return { ...stored, pieces: history.pieces(stored.id).map(({ seq }) => ({ seq, piece: history.piece(stored.id, seq) })) };
  };
  const answers: { readonly [Kind in FileRequest['kind']]: (request: Extract<FileRequest, { readonly kind: Kind }>) => unknown } = {
    compact: ({ key, rule }) => compact(key, rule),
    attachments: ({ sala }) => attachmentsOf(canais.map((canal) => whole({ sala, canal })).filter((one) => one !== null)),
    version: ({ key, seq, form }) => answered(whole(key), (found) => versionIn(found, seq, form)),
    revert: ({ key, seq }) => answered(whole(key), (found) => revertTo(found, seq)),
  };
  return (request) => answers[request.kind](request as never);
}

const answered = <Result>(found: WholeHistory | null, answer: (found: WholeHistory) => Result): Result | null =>
  found === null ? null : answer(found);

/** A nice value; that of screens is twice as much: rooms that are written to need their compaction. */
const behindTheLoop = 5;

if (parentPort) {
  // This thread only, on Linux: pages and apps of everybody go first.
  setPriority(0, Math.max(getPriority(), behindTheLoop));
  const collect = collector();
  answerRequests(
    parentPort,
    () => openReader((workerData as { file: string | null }).file),
    () => {
      // Nothing of a document is used behind its answer, and V8 would let the next ones come to a hundred megabytes before it looks.
      if (getHeapStatistics().used_heap_size > limits.roomThreadKeptBytesMax)
        collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
    },
  );
}
