/** `svc audit` as an administrator types it: of a portal that runs over its control socket, of one that is stopped from its files. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuditLine } from '../../schema/audit.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { createPortalWorld, type PortalWorld } from '../../api/testing/portal-world.ts';
import { until } from '../../test/support/portal.ts';
import { beginSvc, runSvc } from '../testing/run-svc.ts';

let portal: PortalWorld;
beforeAll(async () => {
  portal = await createPortalWorld({ audit: true, clock: systemClock });
});
afterAll(() => portal.close());

const audit = (...args: readonly string[]) => runSvc(portal.dir, ['audit', '--state', '.', ...args]);
const link = (person: string) => portal.control('POST', '/api/admin/links', { person });

test('filters, follows and verifies; what was changed is named with its place', async () => {
  await portal.signedIn('bia');
  await link('ana');
  const ofAna = JSON.parse((await audit('--person', 'ana', '-o', 'json')).out) as AuditLine[];
  expect(ofAna).toMatchObject([{ by: { kind: 'control' }, action: 'link/make', person: 'ana', portal: 'casa' }]);
  expect((await audit('--action', 'session', '--since', '1h')).out).toMatch(
    /^TIME +BY +ACTION +OBJECT +RESULT\n\S+ +bia +session\/open +Session\/\S+ +ok\n$/,
  );
  expect((await audit('--until', '1d')).out).toBe('No line is like that.\n');
  expect((await audit('--since', 'yesterday')).code).not.toBe(0);

  const { child, text } = beginSvc(portal.dir, ['audit', '--state', '.', '--follow', '--action', 'link', '-o', 'json']);
  try {
    await until('what is there', () => text.out.includes('"person":"ana"'));
    await link('bia');
    await until('the next one', () => text.out.includes('"person":"bia"'));
  } finally {
    child.kill();
  }
  const whole = await audit('--verify');
  expect([whole.code, whole.out]).toEqual([
    0,
    expect.stringMatching(/^3 lines in 1 file: none was changed, removed or inserted\. The last one is 3 [0-9a-f]{64}\n$/),
  ]);

  const day = (await readdir(path.join(portal.dir, 'audit'))).find((name) => name.endsWith('.jsonl'))!;
  const file = path.join(portal.dir, 'audit', day);
  const text0 = await readFile(file, 'utf8');
  await writeFile(file, text0.replace('"person":"ana"', '"person":"bia"'));
  const changed = await audit('--verify');
  expect([changed.code, changed.out]).toEqual([1, expect.stringMatching(/\.jsonl:2 changed: line 2 was changed: /)]);
  await writeFile(file, text0);
});

test('of a portal that is stopped the files are read, and said so', async () => {
  await portal.portal.close();
  await portal.audit!.close();
  const { code, out, err } = await audit('--limit', '1', '-o', 'json');
  expect([code, err]).toEqual([0, 'no portal runs on this state folder: its files are read\n']);
  expect(JSON.parse(out)).toMatchObject([{ action: 'link/make', person: 'bia' }]);
  const file = path.join(
    portal.dir,
    'audit',
    (await readdir(path.join(portal.dir, 'audit'))).find((name) => name.endsWith('.jsonl'))!,
  );
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  await writeFile(file, `${lines.slice(0, -1).join('\n')}\n`);
  expect(await audit('--verify')).toMatchObject({
    code: 1,
    out: expect.stringContaining('the record ends at line 2; the portal wrote up to line 3'),
  });
});
