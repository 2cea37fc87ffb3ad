/** Where rooms are entered: paths and origins, compared as they come. */
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createMemoryRooms } from '../../store/testing/memory-rooms.ts';
import { fixedRing } from '../auth/key-rings.ts';
import { siteOf } from '../http/hosts.ts';
import { createManualClock } from '../testing/manual-clock.ts';
import { createEntrance, isOurOrigin, placeOf } from './entrance.ts';
import { silentRelay } from './silent-relay.ts';
import { createTickets } from './tickets.ts';

const id = 's00000000000000000000A';

describe('addresses', () => {
  test.for([
    [`/ws/salas/${id}/documento?bilhete=x`, 'documento'],
    [`/ws/salas/${id}/comentarios?bilhete=x`, 'comentarios'],
    [`/ws/salas/${id}/comentarios?outro=1&bilhete=x`, 'comentarios'],
    [`/ws/salas/${id}/documento`, null],
    [`/ws/salas/${id}/documento?bilhet=x`, null],
    [`/ws/salas/${id}/outro?bilhete=x`, null],
    [`/ws/salas/${id}/documento/?bilhete=x`, null],
    [`/ws/salas/${id}/documento/../comentarios?bilhete=x`, null],
    [`/ws/salas/${id}%2fdocumento?bilhete=x`, null],
    [`/ws/salas/../salas/${id}/documento?bilhete=x`, null],
    [`/ws/salas//documento?bilhete=x`, null],
    [`/ws/salas/${id}x/documento?bilhete=x`, null],
    [`/ws//salas/${id}/documento?bilhete=x`, null],
    [`/ws/salas/${id}/__proto__?bilhete=x`, null],
  ] as const)('%s → %s', ([url, canal]) => {
    expect(placeOf(url)).toEqual(canal === null ? null : { sala: id, canal, bilhete: 'x' });
  });
});

describe('origins', () => {
  test.for([
    [undefined, true, true],
    ['http://svc.localhost:8787', true, true],
    ['http://notas.svc.localhost:8787', true, false],
    ['https://svc.localhost:8787', false, false],
    ['http://svc.localhost', false, false],
    ['http://svc.localhost:8787.evil.example', false, false],
    ['http://evil.example', false, false],
    ['http://a.b.svc.localhost:8787', false, false],
    ['null', false, false],
    ['', false, false],
  ] as const)('%s: own origins %s, paths %s', ([origin, own, paths]) => {
    expect(isOurOrigin(siteOf('http://svc.localhost:0', 8787, 'subdomain'), origin)).toBe(own);
    expect(isOurOrigin(siteOf('http://svc.localhost:0', 8787, 'path'), origin)).toBe(paths);
  });
});

describe('among other portals', () => {
  test('whose a room is is asked for a good ticket of it only: anybody can make up names', async () => {
    const clock = createManualClock();
    const ticketsOf = (key: number) =>
      createTickets({
        clock,
        ring: fixedRing(Buffer.alloc(32, key)),
        rooms: createMemoryRooms(),
        person: () => null,
        alive: async () => true,
      });
    const asked: string[] = [];
    const entrance = createEntrance({
      site: siteOf('http://svc.localhost:0', 8787, 'subdomain'),
      tickets: ticketsOf(7),
      relay: silentRelay,
      elsewhere: async (sala) => async (_req, socket) => void socket.end(`carried ${asked.push(sala)}`),
    });
    const knock = async (bilhete: string): Promise<string> => {
      const socket = new PassThrough();
      const req = { url: `/ws/salas/${id}/documento?bilhete=${bilhete}`, headers: {} } as IncomingMessage;
      await entrance(req, socket, Buffer.alloc(0));
      return String(socket.read()).split('\r\n')[0]!;
    };
    const to = { usuario: 'ana', app: 'notas', sala: id, por: 'pagina', session: null, credential: null } as const;
    const good = ticketsOf(7).give(to);
    expect(await knock(good)).toBe('carried 1');
    const late = ticketsOf(7).give(to);
    clock.advance(60_000);
    for (const bad of ['x', late, ticketsOf(8).give(to), ticketsOf(7).give({ ...to, sala: 's00000000000000000000B' })])
      expect(await knock(bad)).toBe('HTTP/1.1 403 Forbidden');
    expect(asked).toEqual([id]);
  });
});
