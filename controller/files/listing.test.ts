import { setImmediate as turnEnd } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createSimulatedClock } from '../clock/simulated.ts';
import type { FileEntry, FileSystem } from './file-system.ts';
import { createListings } from './listing.ts';
import { limits } from './limits.ts';
import type { SftpClient } from './sftp/client.ts';
import { readNames } from './sftp/names.ts';
import { Fields, types, u32, worded } from './sftp/packets.ts';

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

test('names are bounded by their bytes: a listing is cut, and what no file system has is refused', async () => {
  const name = 'x'.repeat(limits.nameBytesMax);
  const endless = {
    stat: async () => ({ ...facts, kind: 'folder' }),
    list: async function* () {
      for (;;) yield Array.from({ length: 1_000 }, (_, n) => ({ ...facts, name: Buffer.from(`${n}-${name}`) }));
    },
  } as unknown as FileSystem;
  const { total, cortada } = await createListings(createSimulatedClock(0)).page('ana', endless, Buffer.from('/a'), options);
  expect(cortada).toBe(true);
  expect(total).toBeLessThanOrEqual(limits.listingNameBytesMax / limits.nameBytesMax + 1);
  const said = (text: string): SftpClient => {
    const fields = new Fields(Buffer.concat([u32(1), worded(text), worded(''), u32(0)]));
    return { ask: async () => ({ kind: 'packet', type: types.name, fields }) } as unknown as SftpClient;
  };
  const first = async (text: string) => await readNames(said(text), Buffer.alloc(0)).next();
  expect((await first(name)).value).toHaveLength(1);
  await expect(first(`${name}x`)).rejects.toThrow('a name that no file has');
});
