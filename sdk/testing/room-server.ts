/**
 * A portal's rooms as far as a connection needs them, with the official yjs and y-protocols over real WebSockets: for tests of the SDKs
 * alone. The real portal is tested in test/browser and test/integration.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import * as decoding from 'lib0/decoding';
import * as encoding from 'lib0/encoding';
import { WebSocketServer, type WebSocket } from 'ws';
import * as awarenessProtocol from 'y-protocols/awareness';
import * as syncProtocol from 'y-protocols/sync';
import * as Y from 'yjs';

export interface RoomServer {
  readonly port: number;
  /** The document, the same for every path. */
  readonly doc: Y.Doc;
  readonly presence: awarenessProtocol.Awareness;
  /** Query and path of every handshake so far. */
  readonly joins: readonly string[];
  readonly open: number;
  /** Discards updates of clients, as for a role that may not write. */
  readOnly: boolean;
  /** No handshake is answered. */
  deaf: boolean;
  /** Closes all sockets. */
  kick(code: number): void;
  close(): Promise<void>;
}

/** `answer`: what the portal's HTTP routes would. */
export async function startRoomServer(answer?: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<RoomServer> {
  const doc = new Y.Doc();
  const presence = new awarenessProtocol.Awareness(doc);
  presence.setLocalState(null);
  const joins: string[] = [];
  const state = { readOnly: false, deaf: false };
  const server = createServer((req, res) => void answer?.(req, res));
  const sockets = new WebSocketServer({ server, verifyClient: (_info, done) => done(!state.deaf, 503) });
  const broadcast = (frame: Uint8Array, except: unknown): void => {
    for (const client of sockets.clients) if (client !== except) client.send(frame);
  };
  doc.on('update', (update: Uint8Array, origin: unknown) =>
    broadcast(
      write(0, (to) => syncProtocol.writeUpdate(to, update)),
      origin,
    ),
  );
  presence.on('update', ({ added, updated, removed }: Record<string, number[]>, origin: unknown) => {
    const changed = [...(added ?? []), ...(updated ?? []), ...(removed ?? [])];
    const update = awarenessProtocol.encodeAwarenessUpdate(presence, changed);
    broadcast(
      write(1, (to) => encoding.writeVarUint8Array(to, update)),
      origin,
    );
  });
  sockets.on('connection', (socket, req) => {
    joins.push(req.url ?? '');
    serve(socket, doc, presence, () => state.readOnly);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return Object.assign(state, {
    port: (server.address() as { readonly port: number }).port,
    doc,
    presence,
    joins,
    get open() {
      return sockets.clients.size;
    },
    kick: (code: number) => {
      for (const client of sockets.clients) {
        if (code === 1006) client.terminate();
        else client.close(code);
      }
    },
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      presence.destroy();
      sockets.close();
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  });
}

function write(kind: number, body: (to: encoding.Encoder) => void): Uint8Array {
  const to = encoding.createEncoder();
  encoding.writeVarUint(to, kind);
  body(to);
  return encoding.toUint8Array(to);
}

function serve(socket: WebSocket, doc: Y.Doc, presence: awarenessProtocol.Awareness, isReadOnly: () => boolean): void {
  const own = new Set<number>();
  socket.on('error', () => undefined);
  socket.on('message', (data: Buffer) => {
    const from = decoding.createDecoder(new Uint8Array(data));
    const kind = decoding.readVarUint(from);
    if (kind === 0) {
      const to = encoding.createEncoder();
      encoding.writeVarUint(to, 0);
      const step = decoding.readVarUint(from);
      if (step === 0) syncProtocol.readSyncStep1(from, to, doc);
      else if (!isReadOnly()) syncProtocol.readSyncStep2(from, doc, socket);
      if (encoding.length(to) > 1) socket.send(encoding.toUint8Array(to));
    } else if (kind === 1) {
      const update = decoding.readVarUint8Array(from);
      for (const client of clientsOf(update)) own.add(client);
      awarenessProtocol.applyAwarenessUpdate(presence, update, socket);
    } else if (kind === 3) {
      const all = awarenessProtocol.encodeAwarenessUpdate(presence, [...presence.getStates().keys()]);
      socket.send(write(1, (to) => encoding.writeVarUint8Array(to, all)));
    }
  });
  socket.on('close', () => awarenessProtocol.removeAwarenessStates(presence, [...own], socket));
  socket.send(write(0, (to) => syncProtocol.writeSyncStep1(to, doc)));
  if (presence.getStates().size === 0) return;
  const all = awarenessProtocol.encodeAwarenessUpdate(presence, [...presence.getStates().keys()]);
  socket.send(write(1, (to) => encoding.writeVarUint8Array(to, all)));
}

function clientsOf(update: Uint8Array): number[] {
  const from = decoding.createDecoder(update);
  return Array.from({ length: decoding.readVarUint(from) }, () => {
    const client = decoding.readVarUint(from);
    decoding.readVarUint(from);
    decoding.readVarString(from);
    return client;
  });
}
