/**
 * Messages of a room: the sync protocol of y-protocols, and the kinds that y-websocket puts around it (docs/rooms.md). The caller passes
 * their contents; y-protocols works with the app's own yjs (own-yjs.ts).
 */
import { createDecoder, readVarUint, readVarUint8Array, type Decoder } from 'lib0/decoding';
import { createEncoder, toUint8Array, writeVarUint, writeVarUint8Array, type Encoder } from 'lib0/encoding';
import * as syncProtocol from 'y-protocols/sync';
import type { Doc } from './libraries.ts';

type OfficialDoc = Parameters<typeof syncProtocol.writeSyncStep1>[1];

export type Frame =
  /** "This is what I have": answered with what is missing there. */
  | { readonly kind: 'have'; readonly stateVector: Uint8Array }
  /** The answer to our own "this is what I have", or a change. */
  | { readonly kind: 'missing' | 'update'; applyTo(doc: Doc, origin: unknown): void }
  | { readonly kind: 'presence'; readonly update: Uint8Array }
  | { readonly kind: 'ask-presence' };

const messages = { sync: 0, presence: 1, askPresence: 3 } as const;

export const writeHave = (doc: Doc): Uint8Array<ArrayBuffer> =>
  write(messages.sync, (to) => syncProtocol.writeSyncStep1(to, doc as OfficialDoc));
export const writeUpdate = (update: Uint8Array): Uint8Array<ArrayBuffer> =>
  write(messages.sync, (to) => syncProtocol.writeUpdate(to, update));
/** A part of it may have been sent as updates before: `update` is then the rest. */
export const writeMissing = (update: Uint8Array): Uint8Array<ArrayBuffer> =>
  write(messages.sync, (to) => {
    writeVarUint(to, syncProtocol.messageYjsSyncStep2);
    writeVarUint8Array(to, update);
  });
export const writePresence = (update: Uint8Array): Uint8Array<ArrayBuffer> =>
  write(messages.presence, (to) => writeVarUint8Array(to, update));

/** Null for what is none of these: kinds that a newer portal may send are passed over. */
export function readFrame(bytes: Uint8Array): Frame | null {
  const from = createDecoder(bytes);
  try {
    const kind = readVarUint(from);
    if (kind === messages.askPresence) return { kind: 'ask-presence' };
    if (kind === messages.presence) return { kind: 'presence', update: readVarUint8Array(from) };
    return kind === messages.sync ? readSync(from) : null;
  } catch {
    return null;
  }
}

function readSync(from: Decoder): Frame | null {
  const step = readVarUint(from);
  if (step === syncProtocol.messageYjsSyncStep1) return { kind: 'have', stateVector: readVarUint8Array(from) };
  if (step !== syncProtocol.messageYjsSyncStep2 && step !== syncProtocol.messageYjsUpdate) return null;
  const { pos } = from;
  // A truncated frame throws before any of it is applied.
  readVarUint8Array(from);
  return {
    kind: step === syncProtocol.messageYjsUpdate ? 'update' : 'missing',
    applyTo: (doc, origin) => {
      from.pos = pos;
      syncProtocol.readSyncStep2(from, doc as OfficialDoc, origin, rethrow);
    },
  };
}

/** y-protocols would log it and go on. */
function rethrow(error: Error): never {
  throw error;
}

/** Whether an update (V1) brings anything but deletions: it begins with the number of clients that it has structs of. */
export const bringsStructs = (update: Uint8Array): boolean => readVarUint(createDecoder(update)) > 0;

function write(kind: number, body: (to: Encoder) => void): Uint8Array<ArrayBuffer> {
  const to = createEncoder();
  writeVarUint(to, kind);
  body(to);
  return toUint8Array(to);
}
