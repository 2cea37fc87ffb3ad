/** `svc` in a clone that was not built: the sources without `build/`. */
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

const repository = path.resolve(import.meta.dirname, '../..');
const sources = ['bin', 'api', 'controller', 'kit', 'machines', 'reconcilers', 'schema', 'sdk', 'store', 'package.json', 'examples'];
let root: string;
beforeAll(() => {
  root = mkdtempSync(path.join(tmpdir(), 'svcb-'));
  for (const name of sources) cpSync(path.join(repository, name), path.join(root, name), { recursive: true });
  symlinkSync(path.join(repository, 'node_modules'), path.join(root, 'node_modules'));
  mkdirSync(path.join(root, 'home'));
});
afterAll(() => rmSync(root, { recursive: true }));

test.for([
  ['up', 'examples/desired', '--listen', '127.0.0.1:0'],
  ['dev', 'examples/apps/relogio', '--listen', '127.0.0.1:0'],
] as const)('svc %s is refused with the line that builds, and leaves nothing behind', async (words) => {
  const state = path.join(root, 'state');
  const outcome = await new Promise<{ code: unknown; said: string }>((resolve) => {
    const env = {
      PATH: process.env['PATH'],
      HOME: path.join(root, 'home'),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? path.join(root, 'home/compiled'),
    };
    // Ends a portal that began all the same.
    execFile(path.join(root, 'bin/svc'), [...words, '--state', state], { cwd: root, env, timeout: 30_000 }, (error, out, err) =>
      resolve({ code: error === null ? 0 : error.code, said: `${out}${err}` }),
    );
  });
  expect(outcome.said).toContain(`this svc was not built; build it with: (cd ${root} && sh setup/ready.sh start)`);
  expect(outcome.code).toBe(1);
  expect(existsSync(state)).toBe(false);
});
