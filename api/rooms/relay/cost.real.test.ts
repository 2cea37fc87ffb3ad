/** The cost of an update for the others: real sockets, and Yjs itself in the thread that measures. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import * as Y from 'yjs';
import { wideUpdate } from '../../../schema/crdt/testing/wild-updates.ts';
import { encodeUints } from '../../../schema/varuint.ts';
import { tellCount } from '../../../test/support/counts.ts';
import { connect, type RawClient } from '../../../test/support/room-client.ts';
import { startRelay, type RelayWorld } from '../../../test/support/relay-world.ts';
import { sala } from '../../../test/support/use-relay.ts';

let world: RelayWorld;
let clients: RawClient[];
beforeEach(async () => {
  world = await startRelay();
  clients = [];
});
afterEach(async () => {
  for (const client of clients) client.end();
  await world.close();
});

async function join(ticket: string): Promise<RawClient> {
  const client = connect(`${world.url}/${sala}/documento`, ticket);
  clients.push(client);
  await client.synced;
  return client;
}
const soon = (look: () => void): Promise<void> => vi.waitFor(look, { timeout: 30_000, interval: 20 });

/** A letter at the beginning of the text, by a client that wrote nothing else. */
const letterOf = (client: number): Uint8Array => Uint8Array.from([1, 1, ...encodeUints([client]), 0, 4, 1, 1, 97, 1, 120, 0]);
const types = (depth: number): Uint8Array => {
  const structs = Array.from({ length: depth }, (_, n) => (n === 0 ? [7, 1, 1, 97, 0] : [7, 0, 1, ...encodeUints([n - 1]), 0]));
  return Uint8Array.from([1, ...encodeUints([depth, 1, 0]), ...structs.flat(), 0]);
};

test.for([
  ['structs that each pass over all others', wideUpdate(2_500)],
  ['types a thousand deep', types(1_500)],
] as const)('%s are refused, their writer is told, and nobody gets them', async ([, update]) => {
  const [ana, bia] = [await join('ana:dona'), await join('bia:editar')];
  bia.send(0, 2, update);
  expect([await bia.closed, bia.reason()]).toEqual([1009, expect.stringContaining('busy for too long')]);
  ana.doc.getText('b').insert(0, 'on');
  const caio = await join('caio:editar');
  await soon(() => expect(caio.doc.getText('b').toJSON()).toBe('on'));
  for (const { doc } of [ana, caio]) expect(Y.encodeStateAsUpdate(doc).length).toBeLessThan(100);
  // A person whose update was too costly is not measured again for a while, and may still write.
  const again = await join('bia:editar');
  again.doc.getText('b').insert(2, 'e');
  await soon(() => expect(caio.doc.getText('b').toJSON()).toBe('one'));
  again.send(0, 2, update);
  expect(await again.closed).toBe(1009);
});

test('letters of ten thousand clients in one place stop early, and another person goes on', async () => {
  const [ana, bia] = [await join('ana:dona'), await join('bia:editar')];
  for (let client = 1; client <= 10_000; client += 1) bia.send(0, 2, letterOf(client));
  expect(await bia.closed).toBe(1009);
  ana.doc.getText('b').insert(0, 'on');
  const caio = await join('caio:editar');
  await soon(() => expect(caio.doc.getText('b').toJSON()).toBe('on'));
  const taken = caio.doc.getText('a').length;
  tellCount(`cost of updates: ${taken} of 10000 letters in one place taken before their writer was sent away`);
  expect(taken).toBeLessThan(6_000);
});

test('what somebody wrote in many places without a network is measured and taken', async () => {
  const [ana, bia] = [await join('ana:dona'), await join('bia:editar')];
  const away = new Y.Doc();
  for (let n = 0; n < 3_000; n += 1) away.getText('a').insert((n * 7_919) % (n + 1), 'word ');
  bia.send(0, 2, Y.encodeStateAsUpdate(away));
  bia.doc.getText('b').insert(0, 'behind it');
  await soon(() => expect(ana.doc.getText('a').toJSON()).toBe(away.getText('a').toJSON()));
  await soon(() => expect(ana.doc.getText('b').toJSON()).toBe('behind it'));
});

test('what stands on itself is dropped: nobody waits for it, and its writer goes on', async () => {
  const [ana, bia] = [await join('ana:dona'), await join('bia:editar')];
  for (let n = 0; n < 500; n += 1) {
    const [low, high] = [encodeUints([1_000 + 2 * n]), encodeUints([1_001 + 2 * n])];
    bia.send(0, 2, Uint8Array.from([2, 1, ...high, 0, 0x84, ...low, 0, 1, 120, 1, ...low, 0, 0x84, ...high, 0, 1, 120, 0]));
  }
  bia.doc.getText('b').insert(0, 'on');
  await soon(() => expect(ana.doc.getText('b').toJSON()).toBe('on'));
  expect(ana.doc.store.pendingStructs).toBeNull();
});
