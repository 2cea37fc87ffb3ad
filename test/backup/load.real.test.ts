/**
 * Backups of a real portal while its people write, each restored into another folder and started there: no edit that was confirmed before
 * the moment of the backup is missing. With SVC_TEST_LONG=1 twenty of them. Decision: docs/decisions/0404-a-backup-is-one-moment.md
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { startPortal } from '../support/portal.ts';
import { backUp, lookFor, startWorld, startWriting, svc, type World, type Writing } from './world.ts';

const backups = process.env['SVC_TEST_LONG'] === '1' ? 20 : 2;
let world: World;
let writing: Writing | undefined;
beforeAll(async () => {
  world = await startWorld('load', 6);
  writing = await startWriting(world);
});
afterAll(async () => {
  await writing?.stop();
  await world.end();
});

test('nothing older than the moment of a backup is missing where it is restored', async () => {
  let [edits, rooms, attached, oldestMissingMs, heldMs, removalsHeldMs] = [0, 0, 0, 0, 0, 0];
  for (let nth = 0; nth < backups; nth += 1) {
    await sleep(700 + (nth % 7) * 130);
    const made = await backUp(world, ...(nth % 5 === 4 ? ['--check'] : []));
    const state = join(world.dir, `restored${nth}`);
    await svc('restore', world.dest, join(world.dir, `desired${nth}`), '--snapshot', made.id, '--state', state, '--yes');
    const restored = await startPortal({ desired: join(world.dir, `desired${nth}`), state });
    try {
      const found = await lookFor(writing!, made.atMs, restored);
      expect(found.missing).toEqual([]);
      edits += found.edits;
      [rooms, attached] = [rooms + found.rooms, attached + found.attached];
      oldestMissingMs = Math.max(oldestMissingMs, found.oldestMissingMs);
      heldMs = Math.max(heldMs, made.heldMs);
      removalsHeldMs = Math.max(removalsHeldMs, made.removalsHeldMs);
    } finally {
      await restored.stop();
    }
  }
  expect(writing?.failures).toEqual([]);
  expect([rooms > 0, attached > 0, edits > 0]).toEqual([true, true, true]);
  tellCount(
    `backup: ${backups} under load, ${edits} edits, ${rooms} rooms, ${attached} attachments looked for, 0 missing; the youngest edits that were not committed were ${oldestMissingMs} ms old; writers were held for ${heldMs} ms at most, removals for ${removalsHeldMs.toFixed(0)} ms`,
  );
}, 3_600_000);
