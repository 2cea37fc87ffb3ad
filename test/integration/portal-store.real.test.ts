/** Sessions and passes of the portal on the real store: they outlive the portal, and what was used up stays used up. */
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createPortalWorld, navigation, type Browser, type PortalWorld } from '../../api/testing/portal-world.ts';
import { openSqliteStore } from '../../store/sqlite.ts';
import type { Store } from '../../store/store.ts';
import { systemClock } from '../../controller/clock/system.ts';

let dir: string;
let store: Store;
let portal: PortalWorld;

beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'svc-ps-'));
  await open();
});
afterEach(async () => {
  await end();
  await rm(dir, { recursive: true, force: true });
});

async function open(): Promise<void> {
  store = await openSqliteStore(path.join(dir, 'svc.db'));
  portal = await createPortalWorld({ store, clock: systemClock });
}

async function end(): Promise<void> {
  await portal.close();
  await store.close();
}

/** The same cookie, sent to the portal's new port. */
async function who(from: Browser, oldHost: string): Promise<number> {
  const cookie = from.cookies.get(oldHost) ?? '';
  return (await portal.browser().request('/api/sessao', { headers: { cookie } })).status;
}

test('a session outlives the portal; a sign-out does too', async () => {
  const [stays, leaves] = [await portal.signedIn('ana'), await portal.signedIn('ana')];
  await portal.world.backend('ana', 'notas').start();
  expect((await stays.visit(`http://${portal.appHost('notas')}/x`)).text).toContain('ana/notas GET /x');
  expect((await leaves.call('DELETE', '/api/sessao')).status).toBe(204);
  const oldHost = portal.host;
  await end();
  await open();
  expect(await who(stays, oldHost)).toBe(200);
  expect(await who(leaves, oldHost)).toBe(401);
});

test('a link works once among many that try at the same time, also after a restart', async () => {
  const link = await portal.portal.signInLink('ana');
  const kept = await portal.portal.signInLink('bia');
  const target = link.slice(portal.url.length);
  const answers = await Promise.all(Array.from({ length: 10 }, () => portal.browser().request(target, { headers: navigation })));
  const led = answers
    .map(({ headers }) => `${headers.location} ${headers['set-cookie'] === undefined ? 'nobody' : 'signed in'}`)
    .toSorted();
  expect(led).toEqual(['/ signed in', ...Array.from({ length: 9 }, () => '/?entrada=PASS_REFUSED nobody')]);
  const query = new URL(kept).search;
  await end();
  await open();
  expect((await portal.browser().request(target, { headers: navigation })).headers['set-cookie']).toBeUndefined();
  const other = await portal.browser().request(`/${query}`, { headers: navigation });
  expect([other.status, other.headers.location]).toEqual([302, '/']);
});
