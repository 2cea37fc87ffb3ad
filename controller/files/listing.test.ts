import { setImmediate as turnEnd } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createSimulatedClock } from '../clock/simulated.ts';
import type { FileEntry, FileSystem } from './file-system.ts';
import { createListings } from './listing.ts';
import { limits } from './limits.ts';

const options = { order: 'nome', reverse: false, hidden: true, mixed: false, from: 0, limit: 1, prefix: null, version: null } as const;
const facts = { kind: 'file', bytes: 0, mode: 0o644, modifiedMs: 0, changedMs: 0, uid: 1_000 } as const;

test('what is over is not held until somebody asks again', async () => {
  const clock = createSimulatedClock(1_800_000_000_000);
  const listings = createListings(clock);
  let seen: WeakRef<FileEntry> | null = null;
  const fs = {
    stat: async () => ({ ...facts, kind: 'folder' }),
    list: async function* () {
      const entry = { ...facts, name: Buffer.from('um') };
      seen = new WeakRef(entry);
      yield [entry];
    },
  } as unknown as FileSystem;
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const isHeld = async (): Promise<boolean> => {
    await turnEnd();
    collect();
    return seen?.deref() !== undefined;
  };
  await listings.page('ana', fs, Buffer.from('/a'), options);
  expect(await isHeld()).toBe(true);
  clock.advance(limits.listingKeptMs / 2);
  await listings.page('ana', { ...fs, list: async function* () {} }, Buffer.from('/b'), options);
  clock.advance(limits.listingKeptMs / 2 + 2);
  expect(await isHeld()).toBe(false);
});
