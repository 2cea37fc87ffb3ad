/** Where rooms are entered: paths and origins, compared as they come. */
import { describe, expect, test } from 'vitest';
import { siteOf } from '../hosts.ts';
import { isOurOrigin, placeOf } from './entrance.ts';

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
