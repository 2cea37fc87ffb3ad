/**
 * Attachments of rooms: whoever writes in a channel puts bytes, whoever is in the room gets them (spec 2.4, 4.1). The same bytes are kept once
 * in a room; a room holds so much. What no document names any more goes after a while, and never while the documents can't be read.
 * Decision: docs/decisions/0099-attachments.md
 */
import type { RoomStore, StoredAttachment } from '../../controller/store/rooms.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';
import { canais, podeEscrever } from '../../schema/rooms.ts';
import type { AttachmentAnswer } from '../../schema/wire/rooms.ts';
import { tooLarge, type AttachmentFiles } from './attachment-files.ts';
import { noSuchRoom, type RoomCaller } from './callers.ts';
import type { Relay } from './contract.ts';
import type { Rooms } from './rooms.ts';

export type OpenAttachment = StoredAttachment & NonNullable<Awaited<ReturnType<AttachmentFiles['open']>>>;

export interface Attachments {
  /** Who may and how much fits, before a byte is taken: rejects FORBIDDEN, TOO_LARGE with the figures, RATE_LIMITED. */
  put(
    caller: RoomCaller,
    id: string,
    tipo: string,
    body: AsyncIterable<Uint8Array>,
    announcedBytes: number | null,
  ): Promise<AttachmentAnswer>;
  /** The caller closes it. Rejects NOT_FOUND. */
  open(caller: RoomCaller, id: string, sha: string): Promise<OpenAttachment>;
  /** One round of the collection, or the one that is under way. */
  collect(): Promise<void>;
  close(): void;
}

export interface AttachmentDeps {
  readonly store: RoomStore;
  readonly rooms: Pick<Rooms, 'inRoom'>;
  readonly relay: Pick<Relay, 'attachmentsIn'>;
  readonly files: AttachmentFiles;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

export function createAttachments(deps: AttachmentDeps): Attachments {
  const { store, rooms, files } = deps;
  const inTurn = createTurns();
  const uploads = createUploads();
  let running: Promise<void> | null = null;
  const collect = (): Promise<void> => {
    running ??= collectAll(deps, inTurn).finally(() => {
      running = null;
    });
    return running;
  };
  const stop = sweepEvery(deps, collect);
  return {
    put: async (caller, id, tipo, body, announcedBytes) => {
      await mayAdd(rooms, caller, id);
      if (announcedBytes !== null && announcedBytes > limits.attachmentBytesMax) throw tooLarge(limits.attachmentBytesMax);
      const end = uploads.begin(caller.usuario);
      try {
        const staged = await files.stage(id, body, limits.attachmentBytesMax);
        try {
          // Bytes take their time: who was taken out meanwhile adds nothing, and a room that was deleted leaves nothing.
          await mayAdd(rooms, caller, id).catch(async (error: unknown) => {
            if ((await store.room(id)) === null) await inTurn(id, () => files.removeRoom(id));
            throw error;
          });
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
async function mayAdd(rooms: AttachmentDeps['rooms'], caller: RoomCaller, id: string): Promise<void> {
  const { papel } = await rooms.inRoom(caller, id);
  if (!canais.some((canal) => podeEscrever(papel, canal))) throw new SvcError('FORBIDDEN', 'who only reads adds no attachments');
}

async function keep(
  { store, files, clock }: AttachmentDeps,
  sala: string,
  tipo: string,
  { sha, bytes, keep: intoPlace }: Awaited<ReturnType<AttachmentFiles['stage']>>,
): Promise<AttachmentAnswer> {
  const known = await store.attachment(sala, sha);
  // In its place before anybody can be told of it; the row decides whether it may stay.
  if (known === null || (await isMissing(files, sala, sha))) {
    await intoPlace().catch((error: unknown) => {
      // The room was deleted while the bytes came in, and its folder with them.
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? noSuchRoom() : error;
    });
  }
  const { kind, bytes: held } = await store.putAttachment({ sala, sha, bytes, tipo, atMs: clock.nowMs() }, limits.roomAttachmentBytesMax);
  if (kind === 'new') return { sha, tamanho: bytes, tipo };
  if (kind === 'known') return { sha, tamanho: bytes, tipo: known?.tipo ?? tipo };
  await files.remove(sala, sha);
  if (kind === 'gone') {
    await files.removeRoom(sala);
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
  await file?.handle.close();
  return file === null;
}

async function collectAll(deps: AttachmentDeps, inTurn: Turns): Promise<void> {
  const { store, files, onError } = deps;
  const rooms = new Set([...(await store.roomsWithAttachments()), ...(await files.rooms())]);
  for (const sala of rooms) {
    try {
      await collectRoom(deps, inTurn, sala);
    } catch (error) {
      // Its documents can't be read now: nothing of it goes.
      onError(error);
    }
  }
}

async function collectRoom({ store, files, relay, clock }: AttachmentDeps, inTurn: Turns, sala: string): Promise<void> {
  const nowMs = clock.nowMs();
  if ((await store.room(sala)) === null) return await inTurn(sala, () => files.removeRoom(sala));
  const rows = await store.attachments(sala);
  if (rows.length > 0) {
    const named = await relay.attachmentsIn(sala);
    const still = rows.filter(({ sha }) => named.has(sha)).map(({ sha }) => sha);
    if (still.length > 0) await store.touchAttachments(sala, still, nowMs);
    for (const { sha, atMs } of rows) {
      if (named.has(sha) || nowMs - atMs <= limits.attachmentGraceMs) continue;
      await inTurn(sala, async () => {
        if (await store.dropAttachment(sala, sha, atMs)) await files.remove(sala, sha);
      });
    }
  }
  // By the clock of the file system: what uploads left, and files that a crash kept without their row.
  for (const name of await files.filesBefore(sala, Date.now() - limits.attachmentStagingMsMax)) {
    await inTurn(sala, async () => {
      if ((await store.attachment(sala, name)) === null) await files.removeFile(sala, name);
    });
  }
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

type Turns = <Result>(sala: string, act: () => Promise<Result>) => Promise<Result>;

/** One act after the other in each room: a file and its row change together. */
function createTurns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return async (sala, act) => {
    const mine = (last.get(sala) ?? Promise.resolve()).then(act, act);
    last.set(sala, mine);
    try {
      return await mine;
    } finally {
      if (last.get(sala) === mine) last.delete(sala);
    }
  };
}

function createUploads() {
  const byPerson = new Map<string, number>();
  let count = 0;
  return {
    begin: (usuario: string): (() => void) => {
      const own = byPerson.get(usuario) ?? 0;
      if (count >= limits.attachmentUploadsMax || own >= limits.attachmentUploadsPerPersonMax) {
        throw new SvcError('RATE_LIMITED', 'too many uploads at once: try again', { retryAfterMs: 1_000 });
      }
      count += 1;
      byPerson.set(usuario, own + 1);
      return () => {
        count -= 1;
        const left = (byPerson.get(usuario) ?? 1) - 1;
        if (left === 0) byPerson.delete(usuario);
        else byPerson.set(usuario, left);
      };
    },
  };
}
