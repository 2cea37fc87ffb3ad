/** A client of plain yjs and y-protocols over one WebSocket: no reconnecting, nothing of ours. */
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { WebSocket } from 'ws';
import * as awareness from 'y-protocols/awareness';
import * as sync from 'y-protocols/sync';
import * as Y from 'yjs';
import { contentOf } from '../../schema/crdt/testing/random-edits.ts';

export interface RawClient {
  readonly ws: WebSocket;
  readonly doc: Y.Doc;
  readonly presence: awareness.Awareness;
  /** Resolves at the first step 2; rejects when the socket closes before. */
  readonly synced: Promise<void>;
  /** Close code, once it is closed. */
  readonly closed: Promise<number>;
  /** And the reason beside it. */
  readonly reason: () => string;
  /** Bytes and frames that came. */
  readonly received: { bytes: number; frames: number };
  send(...parts: readonly (number | Uint8Array)[]): void;
  end(): void;
}

export interface RawClientOptions {
  readonly doc?: Y.Doc;
  /** Ask for the state at once. */
  readonly asks?: boolean;
  /** Host header, where the name is not the address. */
  readonly host?: string;
}

/** Zeros are a mask, too, and neither side has to go through megabytes for it. */
const generateMask = (mask: Buffer): void => void mask.fill(0);

/** `at`: `<url>/<sala>/<canal>`; ticket: `<usuario>:<papel>`. */
export function connect(at: string, ticket: string, { doc = new Y.Doc(), asks = true, host }: RawClientOptions = {}): RawClient {
  const ws = new WebSocket(`${at}?bilhete=${encodeURIComponent(ticket)}`, {
    generateMask,
    ...(host === undefined ? {} : { headers: { host } }),
  });
  ws.binaryType = 'arraybuffer';
  const presence = new awareness.Awareness(doc);
  presence.setLocalState(null);
  const synced = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<number>();
  const received = { bytes: 0, frames: 0 };
  let reason = '';
  synced.promise.catch(() => {});
  const send = (...parts: readonly (number | Uint8Array)[]): void => {
    const encoder = encoding.createEncoder();
    for (const part of parts) {
      if (typeof part === 'number') encoding.writeVarUint(encoder, part);
      else encoding.writeVarUint8Array(encoder, part);
    }
    if (ws.readyState === ws.OPEN) ws.send(encoding.toUint8Array(encoder));
  };
  ws.on('open', () => {
    if (asks) send(0, 0, Y.encodeStateVector(doc));
    if (presence.getLocalState()) send(1, awareness.encodeAwarenessUpdate(presence, [doc.clientID]));
  });
  ws.on('error', (error) => synced.reject(error));
  ws.on('close', (code, why) => {
    reason = why.toString();
    synced.reject(new Error(`closed with ${code}`));
    closed.resolve(code);
    presence.destroy();
  });
  ws.on('message', (data: ArrayBuffer) => {
    received.bytes += data.byteLength;
    received.frames += 1;
    const decoder = decoding.createDecoder(new Uint8Array(data));
    const type = decoding.readVarUint(decoder);
    if (type === 1) return awareness.applyAwarenessUpdate(presence, decoding.readVarUint8Array(decoder), ws);
    const encoder = encoding.createEncoder();
    encoding.writeVarUint(encoder, 0);
    const kind = sync.readSyncMessage(decoder, encoder, doc, ws);
    if (encoding.length(encoder) > 1) ws.send(encoding.toUint8Array(encoder));
    if (kind === sync.messageYjsSyncStep2) synced.resolve();
  });
  const tell = (update: Uint8Array, origin: unknown): void => void (origin !== ws && send(0, 2, update));
  doc.on('update', tell);
  // A document outlives many lines.
  ws.on('close', () => doc.off('update', tell));
  presence.on('update', ({ added, updated, removed }: Record<'added' | 'updated' | 'removed', number[]>, origin: unknown) => {
    if (origin !== ws) send(1, awareness.encodeAwarenessUpdate(presence, [...added, ...updated, ...removed]));
  });
  return {
    ws,
    doc,
    presence,
    synced: synced.promise,
    closed: closed.promise,
    reason: () => reason,
    received,
    send,
    end: () => ws.terminate(),
  };
}

/** Content of a document, to compare. */
export const said = (client: { readonly doc: Y.Doc }): string => contentOf(client.doc);

/** Everything that the client sent before has been dealt with: it is answered, or was sent away. */
export const settled = ({ ws }: RawClient): Promise<void> =>
  new Promise((resolve) => {
    ws.once('pong', () => resolve());
    ws.once('close', () => resolve());
    ws.ping();
  });
