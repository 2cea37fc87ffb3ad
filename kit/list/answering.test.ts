/** A home that hangs delays no other home. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentHomes } from './answering.ts';

/** Hangs at a path with `hangs` in it, as one does that waits for a server. */
const argv = ['/bin/sh', '-c', 'for home; do case "$home" in *hangs*) exec sleep 600;; esac; done', 'sh'] as const;

test('homes that stand, and such as do not, answer', async () => {
  const home = mkdtempSync(join(tmpdir(), 'svc-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  expect([...(await silentHomes([home, '/nonexistent/home', '/proc/1/root/x']))]).toEqual([]);
  expect([...(await silentHomes([]))]).toEqual([]);
});

test('the ones that hang are told, and each costs its time beside the others', { tags: ['costly'] }, async () => {
  const homes = ['/home/a', '/home/hangs-1', '/home/b', '/home/hangs-2', '/home/c'];
  const began = performance.now();
  expect([...(await silentHomes(homes, { msMax: 1_000, argv }))].toSorted()).toEqual(['/home/hangs-1', '/home/hangs-2']);
  expect(performance.now() - began).toBeLessThan(6_000);
});
