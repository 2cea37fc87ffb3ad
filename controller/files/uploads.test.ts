import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createSimulatedClock } from '../clock/simulated.ts';
import { createNodeFileSystem } from './node-file-system.ts';
import { createUploads } from './uploads.ts';

test('pieces of an upload come one after the other: what comes beside one that is under way, or again, is refused', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'svc-uploads-'));
  try {
    const uploads = createUploads(createNodeFileSystem(), createSimulatedClock(0));
    const file = path.join(folder, 'a.txt');
    const { id } = await uploads.begin({ path: Buffer.from(file), bytes: 6, conflict: 'recusar', resume: null });
    const [begun, more] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('abc');
      begun.resolve();
      await more.promise;
      yield Buffer.from('def');
    };
    const quick = async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('xyz');
    };
    const first = uploads.put(id, 0, slow());
    await begun.promise;
    await expect(uploads.put(id, 0, quick())).rejects.toMatchObject({ code: 'CONFLICT', message: /another piece/ });
    more.resolve();
    expect(await first).toMatchObject({ recebidos: 6 });
    await expect(uploads.put(id, 3, quick())).rejects.toMatchObject({ code: 'CONFLICT', message: /begins elsewhere/ });
    expect(existsSync(file)).toBe(false);
    await uploads.end(id, null);
    expect(readFileSync(file, 'utf8')).toBe('abcdef');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
