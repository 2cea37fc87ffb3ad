/**
 * The whole portal in front of one backend, as a browser meets it: host, session cookie, rules, proxy. Only the gateway is made by
 * hand, so that no controller runs beside it. argv: port, socket. Prints one JSON line: { host, cookie }.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createPortal } from '../../api/portal.ts';
import { portalRooms } from '../../bin/up/portal-rooms.ts';
import { openState } from '../../bin/up/state.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { createBus } from '../../store/bus.ts';
import type { BackendRoute } from '../../schema/gateway.ts';
import { benchGateway } from './bench-gateway.ts';

const [port, socketPath] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-portal-'));
const person = { usuario: 'ana', nome: 'Ana', login: 'ana', grupos: [] };
const route: BackendRoute = {
  generation: '1',
  socketPath: socketPath!,
  dial: async () => net.connect(socketPath!),
  token: 'token',
  keepIdleMs: 600_000,
};
const gateway = benchGateway([person], route);
const bus = createBus();
const log = pino({ level: 'error' });
const opened = await openState({ stateDir: folder, file: join(folder, 'svc.db'), bus, clock: systemClock, log, ends: [] });
const portal = await createPortal({
  store: opened.store,
  bus,
  gateway,
  settings: {
    listenHost: '127.0.0.1',
    listenPort: Number(port),
    url: 'http://svc.localhost:0',
    origins: 'subdomain',
    trustedProxies: [],
    shellScripts: 'system',
  },
  ...portalRooms(opened, systemClock, log),
  controlSocket: null,
  assets: { shellDir: folder, sdkWebDir: folder },
  log,
  clock: systemClock,
});
await portal.listen();

/** Follows the sign-in link as a browser would, through the one-time pass to the app's own cookie. */
function step(host: string, path: string, cookie: string): Promise<{ location: string; cookie: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, cookie, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
    http
      .get({ host: '127.0.0.1', port: Number(port), path, headers }, (res) => {
        res.resume();
        resolve({ location: res.headers.location ?? '', cookie: res.headers['set-cookie']?.[0]?.split(';')[0] ?? '' });
      })
      .on('error', reject);
  });
}
const host = `notas.svc.localhost:${port}`;
const signedIn = await step(`svc.localhost:${port}`, new URL(await portal.signInLink('ana')).search.replace(/^/, '/'), '');
const asked = await step(host, '/', '');
const handOver = await step(`svc.localhost:${port}`, asked.location.replace(`http://svc.localhost:${port}`, ''), signedIn.cookie);
const entered = await step(host, handOver.location.replace(`http://${host}`, ''), asked.cookie);
if (entered.cookie === '') throw new Error('the portal gave no cookie on the app’s origin');
console.log(JSON.stringify({ host, cookie: entered.cookie }));
process.on('SIGTERM', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
