/** `svc get` of more objects than one answer holds. */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { limits } from '../api/limits.ts';
import { runSvc } from './testing/run-svc.ts';

test('asks for page after page and prints them all, once each', async () => {
  const dir = await mkdtemp(path.join(tmpdir(), 'svcg-'));
  const count = 2 * limits.objectsPageMax;
  const all = Array.from({ length: count }, (_, n) => ({
    key: `Person/p${String(n).padStart(5, '0')}`,
    state: 'ok',
    reason: 'Provisioned',
  }));
  const asked: string[] = [];
  const server = createServer((req, res) => {
    const after = new URL(req.url ?? '', 'http://x').searchParams.get('after') ?? '';
    asked.push(after);
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(all.filter(({ key }) => key > after).slice(0, limits.objectsPageMax)));
  });
  try {
    server.listen(path.join(dir, 'svc.sock'));
    await once(server, 'listening');
    const { code, out } = await runSvc(dir, ['get', 'people', '--state', '.', '-o', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual(all);
    expect(asked).toEqual(['', 'Person/p00499', 'Person/p00999']);
  } finally {
    server.close();
    await rm(dir, { recursive: true });
  }
});
