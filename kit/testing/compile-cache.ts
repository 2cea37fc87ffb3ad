/**
 * Node's compiled sources of the commands, for all processes that tests start (NODE_COMPILE_CACHE): reading and stripping them is more than half of
 * what a short command costs. Each account has a folder of its own below it.
 */
import { chmodSync, mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const compileCache = join(tmpdir(), 'svc-test-compile-cache');
mkdirSync(compileCache, { recursive: true });
try {
  chmodSync(compileCache, 0o1777);
} catch {
  // It belongs to another account, which did the same.
}
