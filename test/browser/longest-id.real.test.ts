/**
 * The bound for an app id (decision 0190): the longest id that the validator takes is installed, started and opened in both origin modes,
 * for an account with the longest home; one character more is refused with the reason wherever an id comes in.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runSvc } from '../../bin/testing/run-svc.ts';
import { writeDesired, whenInstalled } from '../integration/world.ts';
import { repository, startPortal, type RunningPortal } from '../support/portal.ts';
import { newPage } from './support/browser.ts';
import { closePages, openBrowser } from '../support/chromium.ts';

const longest = `a${'b-'.repeat(23)}c9`;
const longer = `${longest}x`;
const reason = /at most 49 (characters|lowercase letters)/;

const backend = `
import http from 'node:http';
const page = '<!doctype html><meta charset="utf-8"><title>' + process.env.SVC_APP_ID + '</title><p>' + process.env.SVC_APP_SOCKET.length + '</p>';
http.createServer((request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page)).listen(process.env.SVC_APP_SOCKET);
`;

let folder: string;
let browser: Browser;
let portal: RunningPortal | undefined;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svcl-'));
  browser = await openBrowser();
  for (const id of [longest, longer]) {
    await mkdir(path.join(folder, 'apps', id), { recursive: true });
    const manifest = { id, version: '1.0.0', backend: { runtime: 'node', entrypoint: 'main.mjs' } };
    await writeFile(path.join(folder, 'apps', id, 'svc-app.json'), JSON.stringify(manifest));
    await writeFile(path.join(folder, 'apps', id, 'main.mjs'), backend);
  }
});
afterEach(async () => await portal?.stop());
afterAll(async () => {
  await closePages(browser);
  await rm(folder, { recursive: true, force: true });
});

const validate = (id: string) => runSvc(folder, ['validate', path.join(folder, 'apps', id, 'svc-app.json')]);
const command = (name: string, ...args: readonly string[]) =>
  spawnSync(path.join(repository, 'bin', name), args, { encoding: 'utf8', env: { ...process.env, HOME: folder, SVC_PREFIX: folder } });

/** As a program asks: Node knows no name below localhost. */
async function ask(port: number, address: string): Promise<readonly [number | undefined, string]> {
  const { host, pathname } = new URL(address);
  const request = http.get({ host: '127.0.0.1', port, path: pathname, headers: { host } });
  const [answer] = (await once(request, 'response')) as [http.IncomingMessage];
  return [answer.statusCode, await text(answer)];
}

/** The state folder is the server, and the home of ana in it has as many bytes as an account called by 32 characters has. */
const stateFor = (mode: string): string => path.join(folder, mode.padEnd(38 - '/home/ana'.length - folder.length - 1, '-'));

test.for(['subdomain', 'path'] as const)('the longest id is installed, started and opened with origins: %s', async (origins) => {
  expect(longest).toHaveLength(49);
  expect(await validate(longest)).toMatchObject({ code: 0 });
  const desired = await writeDesired(path.join(folder, `d-${origins}`), { apps: [longest], packages: path.join(folder, 'apps'), origins });
  portal = await startPortal({ desired, state: stateFor(origins) });
  await whenInstalled(portal, longest);
  const { page } = await newPage(browser);
  await page.goto(portal.link);
  const host = `svc.localhost:${portal.port}`;
  const address = (id: string): string => (origins === 'path' ? `http://${host}/proxy/app/${id}/` : `http://${id}.${host}/`);
  await page.goto(address(longest));
  // Until it answers there is the page that says so.
  await page.getByText('107', { exact: true }).waitFor();
  expect(await page.title()).toBe(longest);

  // An id with one character more, at the proxy and at the API.
  expect(await ask(portal.port, address(longer))).toEqual([origins === 'path' ? 404 : 421, expect.stringMatching(reason)]);
  const started = await portal.admin('POST', `/api/admin/backends/ana/${longer}/start`);
  expect([started.status, JSON.stringify(started.body)]).toEqual([400, expect.stringMatching(reason)]);
});

test('one character more is refused with the reason by the validator, the desired state, the installer and the launcher', async () => {
  const judged = await validate(longer);
  expect([judged.code, `${judged.out}${judged.err}`]).toEqual([1, expect.stringMatching(reason)]);
  const desired = await writeDesired(path.join(folder, 'd-longer'), { apps: [longer], packages: path.join(folder, 'apps') });
  const plan = await runSvc(folder, ['validate', desired]);
  expect([plan.code, `${plan.out}${plan.err}`]).toEqual([1, expect.stringMatching(reason)]);
  for (const [name, ...args] of [
    ['svc-app-install', path.join(folder, 'apps', longer), '--sistema'],
    ['svc-app-install', longer, '--sistema', '--repository', path.join(folder, 'apps')],
    ['svc-app-install', '--remove', longer, '--sistema'],
    ['svc-app-run', longer],
  ] as const) {
    const { status, stderr } = command(name, ...args);
    expect([name, status === 0, stderr]).toEqual([name, false, expect.stringMatching(reason)]);
  }
  expect(existsSync(path.join(folder, 'opt/svc-apps', longer))).toBe(false);
});
