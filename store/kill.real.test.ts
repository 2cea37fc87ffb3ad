/** Writes that the store acknowledged are still there after a kill -9 in the middle of writing; the state lock falls with its holder. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSqliteStore } from './sqlite.ts';
import { lockState } from './state-lock.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'svc-kill-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const writer = `
  import { openSqliteStore } from ${JSON.stringify(path.join(import.meta.dirname, 'sqlite.ts'))};
  import { lockState } from ${JSON.stringify(path.join(import.meta.dirname, 'state-lock.ts'))};
  lockState(process.argv[1]);
  const store = await openSqliteStore(process.argv[1] + '/svc.db');
  process.stdout.write('locked\\n');
  for (let n = 0; ; n += 1) {
    await Promise.all([
      store.putIntent({ person: 'ana', app: 'app' + n, wish: 'start', by: 'person', requestId: 'q' + n, atMs: n }),
      store.putValue('last', String(n)),
    ]);
    process.stdout.write(n + '\\n');
  }`;

test.for([50, 400, 1_500])('killed after %i acknowledged turns, nothing of them is lost', async (turns) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', writer, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  expect((await lines.next()).value).toBe('locked');
  expect(() => lockState(dir)).toThrowError(expect.objectContaining({ code: 'STATE_IN_USE' }));
  let acknowledged = -1;
  for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
    acknowledged = Number(line.value);
    if (acknowledged === turns) child.kill('SIGKILL');
  }
  await exited;
  const lock = lockState(dir);
  const store = await openSqliteStore(path.join(dir, 'svc.db'));
  const last = Number(await store.value('last'));
  expect(last).toBeGreaterThanOrEqual(acknowledged);
  const intents = await store.intents();
  // Each turn is one transaction: its value and its intent stand or fall together.
  expect(intents).toHaveLength(last + 1);
  await store.close();
  lock.release();
});
