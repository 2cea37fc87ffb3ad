/** By a `getent` of the test: which questions are asked, and who is who in the answers. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { lookUpAccounts } from './account-lookup.ts';

let folder: string;
let before: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'svc-getent-'));
  before = process.env['PATH'] ?? '';
  process.env['PATH'] = `${folder}:${before}`;
  // A directory: it knows p0 to p8, also as P0 and as p0@dom, and reports them as p0.
  const script = `#!/bin/sh
echo "$*" >>'${folder}/asked'
shift 2
code=0
for name; do
  short=$(printf %s "\${name%@dom}" | tr P p)
  case $short in p[0-8]) echo "$short:x:100\${short#p}:100::/home/$short:/bin/sh" ;; *) code=2 ;; esac
done
exit $code
`;
  writeFileSync(path.join(folder, 'getent'), script);
  chmodSync(path.join(folder, 'getent'), 0o755);
});
afterEach(() => {
  process.env['PATH'] = before;
  rmSync(folder, { recursive: true });
});

const asked = (): number => readFileSync(path.join(folder, 'asked'), 'utf8').trim().split('\n').length;
const uids = async (names: readonly string[]): Promise<Record<string, number>> =>
  Object.fromEntries([...(await lookUpAccounts(names))].map(([name, account]) => [name, account.uid]));

test('accounts that are told under another spelling are known by their place, with one question for all', async () => {
  expect([await uids(['P3', 'p1', 'p2@dom', 'p3']), asked()]).toEqual([{ P3: 1003, p1: 1001, 'p2@dom': 1002, p3: 1003 }, 1]);
});

test('one that is missing does not shift the others', async () => {
  expect(await uids(['P3', 'none', 'p2@dom', 'p1'])).toEqual({ P3: 1003, 'p2@dom': 1002, p1: 1001 });
  expect([await uids(['p1', 'none']), asked()]).toEqual([{ p1: 1001 }, 5]);
});
