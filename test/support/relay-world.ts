/** A real relay on a loopback port with a real log on disk; a ticket is `<usuario>:<papel>[:por[:owner[:app]]]`, in the clear. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../controller/clock/system.ts';
import type { RoomLog } from '../../store/room-log.ts';
import { openSqliteRoomLog } from '../../store/sqlite-room-log.ts';
import type { Clock } from '../../schema/clock.ts';
import type { Canal, Papel } from '../../schema/rooms.ts';
import type { Relay, Seat } from '../../api/rooms/contract.ts';
import { createRelay, type RelayDeps, type RelayReport } from '../../api/rooms/relay/relay.ts';

export interface RelayWorld {
  readonly relay: Relay;
  readonly log: RoomLog;
  /** `ws://127.0.0.1:port/ws/salas`. */
  readonly url: string;
  readonly dir: string;
  /** Reports of the relay, newest last. */
  readonly reports: string[];
  close(): Promise<void>;
}

export interface RelayWorldOptions {
  /** Kept at `close`. */
  readonly dir?: string;
  readonly clock?: Clock;
  /** Faults in front of the real log. */
  readonly wrap?: (log: RoomLog) => RoomLog;
  readonly diskOf?: (dona: string) => Promise<number>;
  readonly collect?: () => void;
  readonly memory?: NonNullable<RelayDeps['memory']>;
  readonly historyDays?: () => number;
}

export async function startRelay({
  dir: given,
  clock = systemClock,
  wrap = (log) => log,
  ...more
}: RelayWorldOptions = {}): Promise<RelayWorld> {
  const dir = given ?? (await mkdtemp(join(tmpdir(), 'svc-relay-')));
  const log = await openSqliteRoomLog(join(dir, 'rooms.db'));
  const reports: string[] = [];
  const tell =
    (what: keyof RelayReport) =>
    (...about: unknown[]): void =>
      void reports.push(`${what} ${about.map(String).join(' ')}`);
  const relay = createRelay({
    log: wrap(log),
    clock,
    ...more,
    report: {
      loadFailed: tell('loadFailed'),
      commitFailed: tell('commitFailed'),
      commitRecovered: tell('commitRecovered'),
      compactionFailed: tell('compactionFailed'),
      updatesDropped: tell('updatesDropped'),
      lost: tell('lost'),
    },
  });
  const server = createServer();
  server.on('upgrade', (req, socket, head) => {
    socket.on('error', () => socket.destroy());
    const place = placeOf(req.url ?? '');
    if (place) relay.join(req, socket, head, place.seat, place.canal);
    else socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    relay,
    log,
    dir,
    reports,
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/salas`,
    close: async () => {
      await relay.close();
      server.closeAllConnections();
      server.close();
      await log.close();
      if (given === undefined) await rm(dir, { recursive: true, force: true });
    },
  };
}

export function placeOf(url: string): { readonly seat: Seat; readonly canal: Canal } | null {
  const match = /^\/ws\/salas\/(\w+)\/(documento|comentarios)\?bilhete=([^&]+)/.exec(url);
  if (!match) return null;
  const [usuario = '', papel = 'ver', por = 'pagina', dona = '', app = 'notas'] = decodeURIComponent(match[3]!).split(':');
  return {
    canal: match[2] as Canal,
    seat: {
      sala: match[1]!,
      app,
      usuario,
      nome: usuario.toUpperCase(),
      iniciais: usuario.slice(0, 2).toUpperCase(),
      papel: papel as Papel,
      por: por as Seat['por'],
      dona,
    },
  };
}
