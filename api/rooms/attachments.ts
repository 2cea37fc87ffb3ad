/**
 * Attachments of rooms: writers of a channel upload bytes, every member of the room reads them (rules 2.4, 4.1). Equal bytes are kept once per room;
 * the size of a room is bounded. Attachments that no document names any more are removed after a grace time, and never while the documents can't be
 * read.
 * Decision: docs/decisions/0099-attachments.md
 */
import type { OpenBytes } from '../../store/bytes.ts';
import type { StoredAttachment, StoredRoom } from '../../store/rooms.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';
import { canais, podeEscrever } from '../../schema/rooms.ts';
import type { AttachmentAnswer } from '../../schema/wire/rooms.ts';
import { createTurns } from '../../schema/turns.ts';
import { createUploads } from '../http/uploads.ts';
import { attachmentType, servedType, unknownType } from './attachment-type.ts';
import { tooLarge, type AttachmentFiles } from './attachment-files.ts';
import { noSuchRoom, spaceUsed, type RoomCaller } from './callers.ts';
import { collectAttachments, type CollectionDeps } from './collection.ts';
import type { Rooms } from './rooms.ts';

export type OpenAttachment = StoredAttachment & OpenBytes;

export interface Attachments {
  /** Checks the right and the space before a byte is taken: rejects FORBIDDEN, TOO_LARGE with the figures, RATE_LIMITED. */
  put(
    caller: RoomCaller,
    id: string,
    tipo: string,
    body: AsyncIterable<Uint8Array>,
    announcedBytes: number | null,
  ): Promise<AttachmentAnswer>;
  /** The caller closes it. Rejects NOT_FOUND. */
  open(caller: RoomCaller, id: string, sha: string): Promise<OpenAttachment>;
  /** A pass of the collection, or the one that is under way. */
  collect(): Promise<void>;
  close(): void;
}

export interface AttachmentDeps extends Omit<CollectionDeps, 'inTurn'> {
  readonly rooms: Pick<Rooms, 'inRoom'>;
  /** Bytes that the rooms of a person hold on the disk. */
  readonly diskOf: (dona: string) => Promise<number>;
}

export function createAttachments(deps: AttachmentDeps): Attachments {
  const { store, rooms, files } = deps;
  // A file and its row change together.
  const inTurn = createTurns();
  const beginUpload = createUploads({ max: limits.attachmentUploadsMax, perOwnerMax: limits.attachmentUploadsPerPersonMax });
  let running: Promise<void> | null = null;
  const collect = (): Promise<void> => {
    running ??= collectAttachments({ ...deps, inTurn }).finally(() => {
      running = null;
    });
    return running;
  };
  const stop = sweepEvery(deps, collect);
  return {
    put: async (caller, id, tipo, body, announcedBytes) => {
      const { dona } = await mayAdd(rooms, caller, id);
      await refuseFull(deps, dona, announcedBytes ?? 0);
      if (announcedBytes !== null && announcedBytes > limits.attachmentBytesMax) throw tooLarge(limits.attachmentBytesMax);
      const end = beginUpload(caller.usuario);
      try {
        const staged = await files.stage(id, body, limits.attachmentBytesMax);
        try {
          // Bytes take their time: who was taken out meanwhile adds nothing, and a room that was deleted leaves nothing.
          await mayAdd(rooms, caller, id).catch(async (error: unknown) => {
            if (await store.wasDeleted(id)) await inTurn(id, () => files.removeRoom(id));
            throw error;
          });
          await refuseFull(deps, dona, staged.bytes);
          return await inTurn(id, () => keep(deps, id, tipo, staged));
        } finally {
          await staged.drop();
        }
      } finally {
        end();
      }
    },
    open: async (caller, id, sha) => {
      await rooms.inRoom(caller, id);
      const row = await store.attachment(id, sha);
      const file = row && (await files.open(id, sha));
      if (!row || !file) throw new SvcError('NOT_FOUND', 'the room has no such attachment');
      return Object.assign(file, row, { bytes: file.bytes });
    },
    collect,
    close: stop,
  };
}

/** Throws when the caller is not in the room, or only reads there. */
async function mayAdd(rooms: AttachmentDeps['rooms'], caller: RoomCaller, id: string): Promise<StoredRoom> {
  const { room, papel } = await rooms.inRoom(caller, id);
  if (!canais.some((canal) => podeEscrever(papel, canal))) throw new SvcError('FORBIDDEN', 'who only reads adds no attachments');
  return room;
}

/** Bytes of a room count for its owner, for any uploader. */
async function refuseFull({ diskOf }: AttachmentDeps, dona: string, bytes: number): Promise<void> {
  if ((await diskOf(dona)) + bytes > limits.roomDiskPerPersonBytesMax) throw spaceUsed();
}

async function keep(
  { store, files, clock }: AttachmentDeps,
  sala: string,
  said: string,
  { sha, bytes, head, keep: intoPlace }: Awaited<ReturnType<AttachmentFiles['stage']>>,
): Promise<AttachmentAnswer> {
  const known = await store.attachment(sala, sha);
  const found = attachmentType(said, head);
  // A missing or unknown type leaves the earlier type in place.
  const tipo = known !== null && found === unknownType ? servedType(known.tipo) : found;
  // In its place before its name is sent; the row decides whether it may stay.
  if (known === null || (await isMissing(files, sala, sha))) {
    await intoPlace().catch((error: unknown) => {
      // The room was deleted while the bytes came in, and its folder with them.
      throw error instanceof SvcError && error.code === 'NOT_FOUND' ? noSuchRoom() : error;
    });
  }
  const { kind, bytes: held } = await store.putAttachment({ sala, sha, bytes, tipo, atMs: clock.nowMs() }, limits.roomAttachmentBytesMax);
  if (kind === 'new' || kind === 'known') return { sha, tamanho: bytes, tipo };
  await files.remove(sala, sha);
  if (kind === 'gone') {
    if (await store.wasDeleted(sala)) await files.removeRoom(sala);
    throw noSuchRoom();
  }
  throw new SvcError('TOO_LARGE', `the room holds ${held} of ${limits.roomAttachmentBytesMax} bytes, and these are ${bytes}`, {
    bytes,
    roomBytes: held,
    roomBytesMax: limits.roomAttachmentBytesMax,
  });
}

async function isMissing(files: AttachmentFiles, sala: string, sha: string): Promise<boolean> {
  const file = await files.open(sala, sha);
  await file?.close();
  return file === null;
}

function sweepEvery({ clock, onError }: AttachmentDeps, collect: () => Promise<void>): () => void {
  let cancel = (): void => {};
  let stopped = false;
  const arm = (): void => {
    if (stopped) return;
    cancel = clock.at(clock.monotonicMs() + limits.attachmentSweepMs, () => {
      void collect().catch(onError).finally(arm);
    });
  };
  arm();
  return () => {
    stopped = true;
    cancel();
  };
}
