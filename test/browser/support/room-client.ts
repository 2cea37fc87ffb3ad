/** A client of a room that is none of ours: yjs, y-protocols and ws over a ticket that a signed-in page took. It says whatever it likes. */
import { WebSocket } from 'ws';
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { readSyncMessage, writeSyncStep1, writeUpdate } from 'y-protocols/sync';
import * as Y from 'yjs';
import type { Desktop } from './rooms-world.ts';

export interface RawClient {
  readonly doc: Y.Doc;
  /** Sends an update without asking whether one may. */
  push(update: Uint8Array): void;
  /** Code of the close; resolves when closed. */
  readonly closed: Promise<number>;
  close(): void;
}

const syncMessage = 0;

export async function joinRaw(desktop: Desktop, port: number, sala: string, canal: 'documento' | 'comentarios'): Promise<RawClient> {
  const { value } = await desktop.call('POST', `/api/salas/${sala}/bilhete?app=caderno`, {});
  const { bilhete, caminho } = value as { readonly bilhete: string; readonly caminho: string };
  const socket = new WebSocket(`ws://127.0.0.1:${port}${caminho}/${canal}?bilhete=${bilhete}`, {
    headers: { host: `svc.localhost:${port}` },
  });
  const doc = new Y.Doc();
  const synced = Promise.withResolvers<void>();
  const send = (write: (encoder: encoding.Encoder) => void): void => {
    const encoder = encoding.createEncoder();
    encoding.writeVarUint(encoder, syncMessage);
    write(encoder);
    socket.send(encoding.toUint8Array(encoder));
  };
  socket.on('message', (data: Buffer) => {
    const decoder = decoding.createDecoder(new Uint8Array(data));
    if (decoding.readVarUint(decoder) !== syncMessage) return;
    const answer = encoding.createEncoder();
    encoding.writeVarUint(answer, syncMessage);
    const kind = readSyncMessage(decoder, answer, doc, 'portal');
    if (encoding.length(answer) > 1) socket.send(encoding.toUint8Array(answer));
    if (kind === 1) synced.resolve();
  });
  const closed = new Promise<number>((resolve) => void socket.on('close', resolve));
  socket.on('error', (error) => synced.reject(error));
  socket.on('open', () => send((encoder) => writeSyncStep1(encoder, doc)));
  await synced.promise;
  return { doc, closed, push: (update) => send((encoder) => writeUpdate(encoder, update)), close: () => socket.close() };
}
