/**
 * Killed at every named point: the old or the new version is whole, which of them is known, and the next run ends as if nothing had happened. The table of
 * what was tried is printed. SVC_TEST_LONG=1 takes every point, otherwise a seed takes a part. First installations, a full disk and what lies between the
 * points: file-steps.real.test.ts.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { tellCount } from '../../test/support/counts.ts';
import { everyNth, shareSeed } from '../../test/support/share.ts';
import { installFaultPoints, removalFaultPoints, rollbackFaultPoints } from './faults.ts';
import { leftovers, testServer, type TestServer } from './test-server.ts';

const table: string[] = [];
afterAll(() => {
  installed.dispose();
  upgraded.dispose();
  console.log(['fault | point | right after | after the next run', ...table].join('\n'));
  const points = installFaultPoints.length + rollbackFaultPoints.length + removalFaultPoints.length;
  tellCount(`installer killed: ${table.length} of ${points} named points tried, seed ${shareSeed}`);
});

let server: TestServer | null = null;
afterEach(() => {
  server?.dispose();
  server = null;
});

/** A root phase, so that its step is gone through. */
const v1 = { version: '1.0.0', backend: { installCommand: 'true' } };
const v2 = { version: '2.0.0', backend: { installCommand: 'true' } };

/** Version 1 is there. */
let installed: TestServer;
/** And version 2, with the way back. */
let upgraded: TestServer;
beforeAll(async () => {
  installed = testServer();
  const first = await installed.run([installed.package('one', v1)]);
  upgraded = testServer();
  upgraded.copyFrom(installed);
  const second = await upgraded.run([upgraded.package('two', v2), '--force']);
  for (const { code, stderr } of [first, second]) if (code !== 0) throw new Error(`no version to begin with: ${stderr}`);
});

function startingAs(before: TestServer): TestServer {
  server = testServer();
  server.copyFrom(before);
  return server;
}

describe('an upgrade killed at', () => {
  test.for(everyNth(4, installFaultPoints))('%s', async (point) => {
    const made = startingAs(installed);
    const two = made.package('two', v2);
    expect(await made.run([two, '--force'], { SVC_FAULT_POINT: point })).toMatchObject({ signal: 'SIGKILL' });
    const after = made.version();
    expect(after).toBe(installFaultPoints.indexOf(point) < installFaultPoints.indexOf('swapped') ? '1.0.0' : '2.0.0');
    expect(await made.run([two, '--force'])).toMatchObject({ code: 0 });
    expect(made.version()).toBe('2.0.0');
    expect(leftovers(made.apps, 2)).toEqual([]);
    // The version before is still there to go back to.
    expect(await made.run(['--rollback', 'notas'])).toMatchObject({ code: 0, last: { version: '1.0.0' } });
    expect([made.version(), leftovers(made.apps, 1)]).toEqual(['1.0.0', []]);
    table.push(`SIGKILL upgrade | ${point} | ${after} | 2.0.0`);
  });
});

describe('a rollback killed at', () => {
  test.for(rollbackFaultPoints)('%s', async (point) => {
    const made = startingAs(upgraded);
    expect(await made.run(['--rollback', 'notas'], { SVC_FAULT_POINT: point })).toMatchObject({ signal: 'SIGKILL' });
    const after = made.version();
    expect(after).toBe(point === 'rollback-link-made' ? '2.0.0' : '1.0.0');
    // The next run, whatever it is, finds a whole version and no leftovers.
    await made.run(['--rollback', 'notas']);
    expect([made.version(), leftovers(made.apps, 1)]).toEqual(['1.0.0', []]);
    table.push(`SIGKILL rollback | ${point} | ${after} | 1.0.0`);
  });
});

describe('a removal killed at', () => {
  test.for(removalFaultPoints)('%s', async (point) => {
    const made = startingAs(installed);
    expect(await made.run(['--remove', 'notas'], { SVC_FAULT_POINT: point })).toMatchObject({ signal: 'SIGKILL' });
    const after = made.version();
    expect(after).toBe(point === 'previous-unlinked' ? '1.0.0' : null);
    expect(await made.run(['--remove', 'notas'])).toMatchObject({ code: 0 });
    expect([made.version(), readdirSync(join(made.apps, '.versions'))]).toEqual([null, ['notas.lock']]);
    table.push(`SIGKILL removal | ${point} | ${after ?? 'nothing'} | nothing`);
  });
});
