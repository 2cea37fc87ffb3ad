/**
 * The use that keeps a backend alive, and its reported state meanwhile, with a real `svc up`: requests are use, and a suspended
 * process is named. SVC_TEST_LONG=1 also waits the real minutes of an idle policy.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBrowser, navigation, type Browser } from '../../api/testing/portal-world.ts';
import { startPortal, until, type RunningPortal } from '../support/portal.ts';
import { backendPids, order, view, whenInstalled, whenState, writeDesired } from './world.ts';

/** HTTP/1.0 as Python speaks it: every connection ends with its answer. Refuses a request without its token. */
const backend = `
import os, socket
from http.server import BaseHTTPRequestHandler, HTTPServer
class Answer(BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.headers.get('X-Svc-App-Token') == os.environ.get('SVC_APP_TOKEN')
        body = str(os.getpid()).encode()
        self.send_response(200 if known else 403); self.send_header('Content-Length', str(len(body))); self.end_headers(); self.wfile.write(body)
    def address_string(self): return 'portal'
class Unix(HTTPServer):
    address_family = socket.AF_UNIX
    def server_bind(self):
        self.socket.bind(self.server_address); os.chmod(self.server_address, 0o600); self.server_name = 'app'; self.server_port = 0
Unix(os.environ['SVC_APP_SOCKET'], Answer).serve_forever()
`;

let folder: string;
let portal: RunningPortal;
let ana: Browser;

async function writeApp(id: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const dir = join(folder, 'p', id);
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'main.py'), backend);
  const manifest = { id, name: id, version: '1.0.0', backend: { runtime: 'python3', entrypoint: 'main.py', ...more } };
  await writeFile(join(dir, 'svc-app.json'), JSON.stringify(manifest));
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svcl-'));
  await writeApp('ociosa', { aoFechar: 'ocioso:1m' });
  await writeApp('presa');
  const desired = await writeDesired(join(folder, 'd'), { apps: ['ociosa', 'presa'], packages: join(folder, 'p') });
  portal = await startPortal({ desired, state: join(folder, 's') });
  await whenInstalled(portal, 'ociosa', 'presa');
  const host = `svc.localhost:${portal.port}`;
  ana = createBrowser({ host, port: portal.port, url: `http://${host}`, received: [] });
  const { pathname, search } = new URL(portal.link);
  await ana.request(pathname + search, { headers: navigation });
}, 120_000);
afterAll(async () => {
  await portal?.stop();
  await rm(folder, { recursive: true, force: true });
});

const hostOf = (app: string): string => `${app}.svc.localhost:${portal.port}`;
const open = (app: string) => ana.visit(`http://${hostOf(app)}/`);
const ask = (app: string) =>
  ana.request('/', { headers: { host: hostOf(app), 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors' } });

test.runIf(process.env['SVC_TEST_LONG'] === '1')(
  'requests ten seconds apart keep an app of ocioso:1m, and a minute and a half without any ends it',
  { timeout: 300_000 },
  async () => {
    const first = await open('ociosa');
    expect(first.status).toBe(200);
    const untilMs = performance.now() + 150_000;
    while (performance.now() < untilMs) {
      await sleep(10_000);
      const answer = await ask('ociosa');
      expect([answer.status, answer.text]).toEqual([200, first.text]);
    }
    const lastUseMs = performance.now();
    await whenState(portal, 'ociosa', 'stopped', 110_000);
    expect((await view(portal, 'Backend/ana/ociosa'))?.reason).toBe('Idle');
    expect(performance.now() - lastUseMs).toBeGreaterThan(59_000);
    expect(backendPids(join(folder, 's'), 'ociosa')).toEqual([]);
    await order(portal, 'start', 'ociosa');
  },
);

test(
  'who opens an app whose process is suspended sees why within seconds, and the app itself once it goes on',
  { timeout: 120_000 },
  async () => {
    const first = await open('presa');
    expect(first.status).toBe(200);
    const pid = Number(first.text);
    process.kill(pid, 'SIGSTOP');
    const beganMs = performance.now();
    const panel = await open('presa');
    expect(performance.now() - beganMs).toBeLessThan(30_000);
    expect([panel.status, panel.text.includes('>Suspended<'), panel.text.includes(`its process ${pid} is stopped by a signal`)]).toEqual([
      504,
      true,
      true,
    ]);
    const object = await view(portal, 'Backend/ana/presa');
    expect(object).toMatchObject({ state: 'running', reason: 'Suspended' });
    // Known by now: at once.
    const againMs = performance.now();
    expect((await open('presa')).status).toBe(504);
    expect(performance.now() - againMs).toBeLessThan(2_000);
    process.kill(pid, 'SIGCONT');
    await until('the app answers again', async () => (await view(portal, 'Backend/ana/presa'))?.reason === 'Healthy');
    expect(await open('presa')).toMatchObject({ status: 200, text: `${pid}` });
  },
);
