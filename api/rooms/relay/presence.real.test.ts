/** Everybody sees everybody, while people come and go: many clients of y-protocols over real sockets. Source: rules 2.4, 6 */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '../limits.ts';
import { encodeUints } from '../../../schema/varuint.ts';
import { connect, type RawClient } from '../../../test/support/room-client.ts';
import { startRelay, type RelayWorld } from '../../../test/support/relay-world.ts';
import { sala } from '../../../test/support/use-relay.ts';

let world: RelayWorld;
let people: RawClient[];
let count: number;
beforeEach(async () => {
  world = await startRelay();
  people = [];
  count = 0;
});
afterEach(async () => {
  for (const person of people) person.end();
  await world.close();
});

/** With a state that leaves as soon as the socket is open. */
function join(): RawClient {
  count += 1;
  const person = connect(`${world.url}/${sala}/documento`, `p${count}:editar`);
  person.presence.setLocalState({ cursor: 0 });
  people.push(person);
  return person;
}

function leave(howMany: number): void {
  for (const person of people.splice(0, howMany)) person.end();
}

/** Compares the presence that each one sees with what each one is: `id:cursor:name`. */
const shown = ({ presence }: RawClient): string =>
  [...presence.getStates()]
    .map(([id, state]) => `${id}:${state['cursor']}`)
    .toSorted()
    .join(' ');
const isShown = (): string =>
  people
    .map(({ doc, presence }) => `${doc.clientID}:${presence.getLocalState()?.['cursor']}`)
    .toSorted()
    .join(' ');

/** How many lack a state, or still see one that is gone. */
function unaware(): number {
  const all = isShown();
  return people.filter((person) => shown(person) !== all).length;
}
const soon = (look: () => void): Promise<void> => vi.waitFor(look, { timeout: 10_000, interval: 20 });

const move = (nth: number): void => {
  const { presence } = people[nth]!;
  presence.setLocalStateField('cursor', (presence.getLocalState()!['cursor'] as number) + 1);
};

describe('people who join at once', () => {
  test.for([30, 200])('%i of them see all the others, and see them move', async (howMany) => {
    for (let n = 0; n < howMany; n += 1) join();
    await Promise.all(people.map(({ synced }) => synced));
    await soon(() => expect(unaware()).toBe(0));
    for (let n = 0; n < howMany; n += 7) move(n);
    await soon(() => expect(unaware()).toBe(0));
  });

  test('and when most have left again, the others see that, and each other', async () => {
    for (let n = 0; n < 30; n += 1) join();
    await Promise.all(people.map(({ synced }) => synced));
    leave(25);
    await soon(() => expect(unaware()).toBe(0));
    for (let n = 0; n < people.length; n += 1) move(n);
    await soon(() => expect(unaware()).toBe(0));
  });
});

test('a room that grows past and shrinks below the size from which it counts as large, again and again', async () => {
  const around = limits.roomLargeSocketsMin;
  for (let n = 0; n < around - 1; n += 1) join();
  await Promise.all(people.map(({ synced }) => synced));
  await soon(() => expect(unaware()).toBe(0));
  for (let round = 0; round < 6; round += 1) {
    for (let n = 0; n < around - 1; n += 1) move(n);
    const later = [join(), join(), join()];
    await Promise.all(later.map(({ synced }) => synced));
    move(0);
    await soon(() => expect(unaware()).toBe(0));
    for (let n = 0; n < people.length; n += 2) move(n);
    leave(3);
    move(1);
    await soon(() => expect(unaware()).toBe(0));
  }
});

test('a viewer with 120 sockets, each of which says all it may, is sent away; the owner stays, writes and is seen', async () => {
  const owner = connect(`${world.url}/${sala}/documento`, 'ana:dona');
  owner.presence.setLocalState({ cursor: 0 });
  people.push(owner);
  await owner.synced;
  const codes: number[] = [];
  for (let n = 0; n < 120; n += 1) {
    const viewer = connect(`${world.url}/${sala}/documento`, 'bia:ver');
    people.push(viewer);
    void viewer.closed.then((code) => codes.push(code));
    viewer.ws.on('open', () => {
      for (const id of [1, 2, 3, 4]) {
        const state = JSON.stringify({ x: 'x'.repeat(15_900) });
        viewer.send(1, Uint8Array.from([1, ...encodeUints([10 * n + id, 1, state.length]), ...Buffer.from(state)]));
      }
    });
  }
  await soon(() => expect(codes.length).toBeGreaterThan(80));
  expect(new Set(codes)).toEqual(new Set([1013]));
  const reader = connect(`${world.url}/${sala}/documento`, 'caio:editar');
  people.push(reader);
  await reader.synced;
  owner.doc.getText('text').insert(0, 'still here');
  await soon(() => expect(reader.doc.getText('text').toJSON()).toBe('still here'));
  await soon(() => expect(reader.presence.getStates().has(owner.doc.clientID)).toBe(true));
  expect(owner.ws.readyState).toBe(owner.ws.OPEN);
});
