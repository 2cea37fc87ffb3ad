/**
 * Cost of updates for a page that applies them: measured with Yjs itself, in the thread of room-compact-thread.ts. Decision:
 * docs/decisions/0378-what-an-update-costs.md
 */
import * as Y from 'yjs';
import { updatesIn } from '../schema/room-frames.ts';
import { compactUpdates, documentOf } from './room-compaction.ts';
import { integrable } from './room-mending.ts';

export interface CostRequest {
  /** The base as an update; null: none. */
  readonly base: Uint8Array | null;
  /** Frames that were measured before, and frames since. */
  readonly before: Uint8Array;
  readonly since: Uint8Array;
  readonly update: Uint8Array;
}

/** CPU of the frames since, and of the update behind them. */
export interface Cost {
  readonly sinceMs: number;
  readonly updateMs: number;
  /** How deep types nest now. */
  readonly depth: number;
}

/** Throws when Yjs does at the update. */
export function costOf({ base, before, since, update }: CostRequest): Cost {
  const doc = built(base, updatesIn(before));
  // As an editor listens: an event walks up through all parents.
  for (const type of doc.share.values()) type.observeDeep(() => {});
  const cost = (act: () => void): number => {
    const start = process.threadCpuUsage();
    act();
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  };
  const taken = updatesIn(since);
  const sinceMs = cost(() => taken.forEach((one) => mayThrow(() => Y.applyUpdate(doc, one))));
  const updateMs = cost(() => Y.applyUpdate(doc, update));
  return { sinceMs, updateMs, depth: depthOf(doc) };
}

/** Builds the document; where that throws, from its compacted form: the next compaction drops the faulty part. */
function built(base: Uint8Array | null, updates: readonly Uint8Array[]): Y.Doc {
  try {
    return documentOf([...(base === null ? [] : [base]), ...updates]);
  } catch {
    return documentOf([compactUpdates(integrable(base, updates)).state]);
  }
}

function mayThrow(act: () => void): void {
  try {
    act();
  } catch {
    // Was taken before it was measured.
  }
}

function depthOf(doc: Y.Doc): number {
  const depths = new Map<unknown, number>();
  let deepest = 0;
  for (const structs of doc.store.clients.values()) {
    for (const struct of structs) {
      if (!(struct instanceof Y.Item) || !(struct.content instanceof Y.ContentType)) continue;
      const up: Y.Item[] = [];
      for (let item: Y.Item | null = struct; item !== null && !depths.has(item); item = parentOf(item)) up.push(item);
      for (const item of up.toReversed()) {
        const parent = parentOf(item);
        const depth = 1 + (parent === null ? 0 : depths.get(parent)!);
        depths.set(item, depth);
        deepest = Math.max(deepest, depth);
      }
    }
  }
  return deepest;
}

// oxlint-disable-next-line no-underscore-dangle -- Yjs has no other way from a type to its item
const parentOf = ({ parent }: Y.Item): Y.Item | null => (parent instanceof Y.AbstractType ? parent._item : null);
