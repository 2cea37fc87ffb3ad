/**
 * Which rooms leave the bin, which attachments are removed, and when. A row whose document no longer names it goes after its grace; of a room that the store marks as deleted
 * the folder goes at once, and so do documents that its deletion could not remove. An attachment that the store does not know is different: a store
 * that was lost, or restored from a backup, knows less than the folder holds. It stays, is reported, and goes only when it was unknown for weeks to
 * a store that the folder belongs to.
 * Decision: docs/decisions/0140-nothing-goes-for-a-missing-row.md
 */
import type { RoomStore } from '../../store/rooms.ts';
import type { Store } from '../../store/store.ts';
import type { Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';
import { attachmentPattern } from '../../schema/rooms.ts';
import type { InTurn } from '../../schema/turns.ts';
import type { AttachmentFiles } from './attachment-files.ts';
import type { Relay } from './contract.ts';

export interface CollectionReport {
  /** There is more that the store does not know than the last time. */
  unknown(count: number, example: string): void;
  /** It was unknown for limits.attachmentUnknownMs, and is gone. */
  dropped(name: string): void;
}

export interface CollectionDeps {
  readonly store: RoomStore;
  readonly values: Pick<Store, 'value' | 'putValue'>;
  readonly relay: Pick<Relay, 'attachmentsIn' | 'deleteRoom'>;
  readonly files: AttachmentFiles;
  readonly clock: Clock;
  readonly report: CollectionReport;
  /** False: the folder is another store's, so that what is unknown here stays for good. */
  readonly isOurs: boolean;
  readonly inTurn: InTurn;
  readonly onError: (error: unknown) => void;
}

/** Named value of the store: what is unknown, as `<room>` or `<room>/<sha>`, and since when. */
export const collectionValue = 'attachments/collection';
export interface CollectionMemory {
  /** Time of the last pass. */
  readonly atMs: number;
  readonly unknown: Readonly<Record<string, number>>;
}

export function collectionMemory(text: string | null): CollectionMemory | null {
  return text === null ? null : (JSON.parse(text) as CollectionMemory);
}

/** State of a pass. */
interface Round {
  readonly nowMs: number;
  readonly sinceOf: (name: string) => number;
  readonly unknown: Map<string, number>;
}

export async function collectAttachments(deps: CollectionDeps): Promise<void> {
  const { store, values, files, clock, report, onError } = deps;
  const before = collectionMemory(await values.value(collectionValue));
  const folders = await files.rooms();
  const nowMs = clock.nowMs();
  // After a jump of the clock, or weeks without a portal, the time that the clock shows was not observed.
  const isSteady = before !== null && nowMs >= before.atMs && nowMs - before.atMs < limits.attachmentSweepGapMsMax;
  const round: Round = { nowMs, sinceOf: (name) => (isSteady ? (before.unknown[name] ?? nowMs) : nowMs), unknown: new Map() };
  if (isSteady) for (const sala of await store.binnedBefore(nowMs - limits.roomBinMs)) await store.deleteRoom(sala);
  const reported = new Set<string>();
  const tryTo = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
    } catch (error) {
      // Its documents can't be read or removed now: the room stays as it is. One cause is logged once for any number of rooms.
      const why = String(error);
      if (!reported.has(why)) onError(error);
      reported.add(why);
    }
  };
  for (const sala of new Set([...(await store.roomsWithAttachments()), ...folders])) await tryTo(() => collectRoom(deps, round, sala));
  for (const sala of await store.deletedRooms()) if (!folders.includes(sala)) await tryTo(() => forgetDeleted(deps, sala));
  const unknown = Object.fromEntries(round.unknown);
  await values.putValue(collectionValue, JSON.stringify({ atMs: nowMs, unknown } satisfies CollectionMemory));
  const added = [...round.unknown.keys()].find((name) => before?.unknown[name] === undefined);
  if (added !== undefined) report.unknown(round.unknown.size, added);
}

async function collectRoom(deps: CollectionDeps, round: Round, sala: string): Promise<void> {
  const { store, files, relay, inTurn } = deps;
  if ((await store.room(sala)) === null) {
    if (!(await store.wasDeleted(sala))) return await stranger(deps, round, sala, sala, () => files.removeRoom(sala));
    await inTurn(sala, () => files.removeRoom(sala));
    return await forgetDeleted(deps, sala);
  }
  const rows = await store.attachments(sala);
  const strangers = await files.filesBefore(sala, Date.now() - limits.attachmentStagingMsMax);
  const named = rows.length + strangers.length > 0 ? await relay.attachmentsIn(sala) : new Set<string>();
  await collectRows(deps, sala, named);
  // By the clock of the file system: what uploads left, and files without a row.
  for (const name of strangers) {
    if (!attachmentPattern.test(name)) await inTurn(sala, () => files.removeFile(sala, name));
    else if (!named.has(name) && (await store.attachment(sala, name)) === null) {
      await stranger(deps, round, sala, `${sala}/${name}`, () => files.removeFile(sala, name));
    }
  }
}

/** Its documents may have outlived the deletion: only when they are gone, too, nothing has to be remembered of it. */
async function forgetDeleted({ store, relay }: CollectionDeps, sala: string): Promise<void> {
  await relay.deleteRoom(sala);
  await store.forgetDeleted(sala);
}

async function collectRows({ store, files, clock, inTurn }: CollectionDeps, sala: string, named: ReadonlySet<string>): Promise<void> {
  const nowMs = clock.nowMs();
  const rows = await store.attachments(sala);
  const still = rows.filter(({ sha }) => named.has(sha)).map(({ sha }) => sha);
  if (still.length > 0) await store.touchAttachments(sala, still, nowMs);
  for (const { sha, atMs } of rows) {
    if (named.has(sha) || nowMs - atMs <= limits.attachmentGraceMs) continue;
    await inTurn(sala, async () => {
      if (await store.dropAttachment(sala, sha, atMs)) await files.remove(sala, sha);
    });
  }
}

/** Remembers an attachment that the store does not know, and removes it once that has lasted long enough. */
async function stranger(deps: CollectionDeps, round: Round, sala: string, name: string, remove: () => Promise<void>): Promise<void> {
  const sinceMs = round.sinceOf(name);
  if (!deps.isOurs || round.nowMs - sinceMs <= limits.attachmentUnknownMs) return void round.unknown.set(name, sinceMs);
  await deps.inTurn(sala, remove);
  deps.report.dropped(name);
}
