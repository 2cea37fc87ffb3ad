/** How the load comes into the rooms of a server: the peers open any name, ours wants a room that exists and a ticket of a person in it. */
import net from 'node:net';
import type { Papel } from '../../schema/rooms.ts';
import { leaveAll, openMember, type Door } from './rooms-member.ts';
import type { DialectName } from './rooms-wire.ts';

/** The server's report when it was ready, beside its process. */
export interface ServerFacts {
  readonly port: number;
  /** Ports of a server of several processes: client n enters at one after the other of these. */
  readonly ports?: readonly number[];
  /**
   * Ports through which rooms of a single process are entered first: room n through one after the other of these, before its first client
   * comes.
   */
  readonly firstAt?: readonly number[];
  /** The number of the load's first room; 0 when it is not said. */
  readonly firstRoom?: number;
  readonly dialect: DialectName;
  /** Where a room is opened by its name, which stands for `{room}`; null: ours, with a ticket. */
  readonly path: string | null;
  /** Ours: the rooms that were made for the run, the session of each person `uN`, and that of one who may only read. */
  readonly portal?: {
    readonly host: string;
    readonly rooms: readonly string[];
    readonly cookies: readonly string[];
    readonly viewerCookie: string;
  };
}

/** The number of whoever comes through `viewerDoor`, far from those of the others. */
export const viewerClient = 90_000;

export interface Access {
  room(n: number): string;
  /** Where `firstAt` is said: somebody enters the room there, so that it is that process'. The answer lets them leave, once others are in. */
  takeFirst(n: number, dialect: DialectName): Promise<() => Promise<void>>;
  /** Where that client connects to that room; with a fresh ticket in ours. */
  door(room: string, client: number): Promise<Door>;
  /** For somebody who may only read; null where there are no roles. */
  readonly viewerDoor: ((room: string) => Promise<Door>) | null;
  /** The person whom the server says that client is; null where it says nothing. */
  usuarioOf(client: number): string | null;
  readonly tickets: boolean;
}

export function accessOf({ port, ports = [port], firstAt, firstRoom = 0, path, portal }: ServerFacts): Access {
  const portOf = (client: number): number => ports[client % ports.length]!;
  if (portal === undefined) {
    return {
      room: (n) => `room${firstRoom + n}`,
      takeFirst: async () => async () => {},
      door: async (room, client) => ({
        port: portOf(client),
        host: `127.0.0.1:${portOf(client)}`,
        path: (path ?? '').replace('{room}', room),
        papel: null,
      }),
      viewerDoor: null,
      usuarioOf: () => null,
      tickets: false,
    };
  }
  const doorOf = async (at: number, room: string, cookie: string): Promise<Door> => {
    const { bilhete, caminho, papel } = await takeTicket(at, portal.host, room, cookie);
    return { port: at, host: portal.host, path: `${caminho}/documento?bilhete=${bilhete}`, papel };
  };
  const roomOf = (n: number): string => {
    const id = portal.rooms[firstRoom + n];
    if (id === undefined) throw new Error(`only ${portal.rooms.length} rooms were made`);
    return id;
  };
  return {
    room: roomOf,
    takeFirst: async (n, dialect) => {
      if (firstAt === undefined) return async () => {};
      const room = roomOf(n);
      const door = await doorOf(firstAt[n % firstAt.length]!, room, portal.cookies[0]!);
      const first = openMember({ dialect, room, door });
      await first.synced;
      return async () => await leaveAll([first]);
    },
    door: (room, client) => doorOf(portOf(client), room, portal.cookies[client % portal.cookies.length]!),
    viewerDoor: (room) => doorOf(portOf(viewerClient), room, portal.viewerCookie),
    usuarioOf: (client) => (client === viewerClient ? 'leitor' : `u${client % portal.cookies.length}`),
    tickets: true,
  };
}

interface Ticket {
  readonly bilhete: string;
  readonly caminho: string;
  readonly papel: Papel;
}

/** Sends a request on a connection of its own, as a browser that comes back makes it; by hand, so that it costs the load little. */
function takeTicket(port: number, host: string, room: string, cookie: string): Promise<Ticket> {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    socket.setEncoding('latin1');
    socket.on('connect', () =>
      socket.write(
        `POST /api/salas/${room}/bilhete HTTP/1.1\r\nHost: ${host}\r\nOrigin: http://${host}\r\nCookie: ${cookie}\r\n` +
          'Content-Length: 0\r\nConnection: close\r\n\r\n',
      ),
    );
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => {
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      if (!text.startsWith('HTTP/1.1 200 ')) reject(new Error(`no ticket: ${text.slice(0, 400)}`));
      else resolve(JSON.parse(body.slice(body.indexOf('{'), body.lastIndexOf('}') + 1)) as Ticket);
    });
  });
}
