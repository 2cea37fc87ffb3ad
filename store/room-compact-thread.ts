/** The thread in which documents are built: for compaction, and to look for attachments. It only reads the file, or what is handed to it. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { canais } from '../schema/rooms.ts';
import { updatesIn } from '../schema/room-frames.ts';
import { addressesIn, compactUpdates, documentOf } from './room-compaction.ts';
import { limits } from './limits.ts';
import { costOf, type CostRequest } from './room-cost.ts';
import { describeBase, documentReader } from './room-log-database.ts';
import type { CompactedRoom, RoomKey } from './room-log.ts';
import { integrable } from './room-mending.ts';
import { answerRequests } from './room-thread-answers.ts';

/** A document as it is kept: all that a base or a search for attachments is made of. */
export interface ReadDocument {
  readonly base: Uint8Array | null;
  /** Frames of updates. */
  readonly rows: readonly Uint8Array[];
  /** Number of the last row. */
  readonly seq: number;
}

/** The first two are of a file, which the thread reads. */
export type CompactRequest =
  | { readonly kind: 'compact'; readonly key: RoomKey }
  | { readonly kind: 'attachments'; readonly sala: string }
  | { readonly kind: 'compact-read'; readonly document: ReadDocument }
  | { readonly kind: 'attachments-read'; readonly documents: readonly ReadDocument[] }
  | { readonly kind: 'cost'; readonly of: CostRequest };

function compacted(stored: ReadDocument | null): CompactedRoom | null {
  if (!stored || stored.rows.length === 0) return null;
  const { state, dropped } = compactUpdates(stored.base, stored.rows.flatMap(updatesIn));
  if (state.length > limits.roomBaseBytesMax)
    throw new Error(`its base has ${state.length} bytes, the limit is ${limits.roomBaseBytesMax}`);
  return { base: state, ...describeBase(state), seq: stored.seq, dropped };
}

function attachmentsOf(documents: readonly (ReadDocument | null)[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const stored of documents) {
    if (!stored) continue;
    const base = stored.base === null ? [] : [stored.base];
    const { base: whole, updates } = integrable(stored.base, stored.rows.flatMap(updatesIn));
    const doc = documentOf([...(whole === null ? [] : [whole]), ...updates]);
    for (const address of addressesIn(doc, [...base, ...stored.rows])) found.add(address);
  }
  return found;
}

function openReader(file: string | null): (request: CompactRequest) => unknown {
  const read = file === null ? () => null : documentReader(new DatabaseSync(file, { readOnly: true, timeout: 5_000 }));
  const answers: { readonly [Kind in CompactRequest['kind']]: (request: Extract<CompactRequest, { readonly kind: Kind }>) => unknown } = {
    compact: ({ key }) => compacted(read(key)),
    attachments: ({ sala }) => attachmentsOf(canais.map((canal) => read({ sala, canal }))),
    'compact-read': ({ document }) => compacted(document),
    'attachments-read': ({ documents }) => attachmentsOf(documents),
    cost: ({ of }) => costOf(of),
  };
  return (request) => answers[request.kind](request as never);
}

if (parentPort) answerRequests(parentPort, () => openReader((workerData as { file: string | null }).file));
