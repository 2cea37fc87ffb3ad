import { expect, test } from 'vitest';
import { roomSpace } from './room-space.ts';

const gib = 1_024 ** 3;

/** Space that counts for an owner who holds so much, on a disk with so much left. */
const counted = (heldBytes: number, freeBytes: number): Promise<number> =>
  roomSpace({
    stateDir: '/',
    rooms: { ownedRooms: async () => [], attachmentBytesOf: async () => heldBytes / 2 },
    log: { sizeOf: async () => heldBytes / 2 },
    freeBytes: async () => freeBytes,
  })('ana');

test('on a disk that fills up who holds most stops first, and who holds little goes on', async () => {
  expect(await counted(3 * gib, 20 * gib)).toBe(3 * gib);
  expect(await counted(3 * gib, 3 * gib)).toBe(Infinity);
  expect(await counted(gib / 1_024, 3 * gib)).toBe(gib / 1_024);
  expect(await counted(gib / 1_024, gib / 2)).toBe(gib / 1_024);
});

test('nobody’s rooms take what the portal itself needs', async () => {
  expect(await counted(0, gib / 4)).toBe(0);
  expect(await counted(0, gib / 4 - 1)).toBe(Infinity);
});
