/** The thread in which documents are built: for compaction, and to look for attachments. It only reads the file. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { canais } from '../schema/rooms.ts';
import { updatesIn } from '../schema/room-frames.ts';
import { addressesIn, compactUpdates, documentOf } from './room-compaction.ts';
import { describeBase, documentReader } from './room-log-database.ts';
import type { CompactedRoom, RoomKey } from './room-log.ts';
import { answerRequests } from './room-thread-answers.ts';

export type CompactRequest = { readonly kind: 'compact'; readonly key: RoomKey } | { readonly kind: 'attachments'; readonly sala: string };

function openReader(file: string): (request: CompactRequest) => unknown {
  const read = documentReader(new DatabaseSync(file, { readOnly: true, timeout: 5_000 }));
  const compact = (key: RoomKey): CompactedRoom | null => {
    const stored = read(key);
    if (!stored || stored.rows.length === 0) return null;
    const { state, dropped } = compactUpdates(stored.base, stored.rows.flatMap(updatesIn));
    return { base: state, ...describeBase(state), seq: stored.seq, dropped };
  };
  const attachments = (sala: string): ReadonlySet<string> => {
    const found = new Set<string>();
    for (const canal of canais) {
      const stored = read({ sala, canal });
      if (!stored) continue;
      const base = stored.base === null ? [] : [stored.base];
      const doc = documentOf([...base, ...stored.rows.flatMap(updatesIn)]);
      for (const address of addressesIn(doc, [...base, ...stored.rows])) found.add(address);
    }
    return found;
  };
  return (request) => (request.kind === 'compact' ? compact(request.key) : attachments(request.sala));
}

if (parentPort) answerRequests(parentPort, () => openReader((workerData as { file: string }).file));
