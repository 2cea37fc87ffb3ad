/**
 * The whole portal as rooms meet it: sign-in, tickets, roles, the relay and its log on disk. Only the gateway is made by hand, so that no
 * controller runs beside it. A hundred people are in the group that may write in every room, one more may only read. argv: port. Prints one JSON line (ServerFacts);
 * answers 'heap' over IPC.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { createPortal } from '../../api/portal.ts';
import { portalRooms } from '../../bin/up/portal-rooms.ts';
import { collector } from '../../api/young-memory.ts';
import { openState } from '../../bin/up/state.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { createBus } from '../../store/bus.ts';
import { benchGateway } from './bench-gateway.ts';
import type { ServerFacts } from './rooms-access.ts';
import { answerHeap } from './rooms-heap.ts';

const port = Number(process.argv[2]);
const host = `svc.localhost:${port}`;
const folder = mkdtempSync(join(tmpdir(), 'svc-bench-rooms-'));
const grupo = 'todos';
const readers = 'leitores';
const people = Array.from({ length: 100 }, (_, n) => ({ usuario: `u${n}`, nome: `Pessoa ${n}`, login: `u${n}`, grupos: [grupo] }));
const viewer = { usuario: 'leitor', nome: 'Leitor', login: 'leitor', grupos: [readers] };
const lines = pino({ level: 'error' }, process.stderr);
const bus = createBus();
const opened = await openState({ stateDir: folder, file: join(folder, 'svc.db'), bus, clock: systemClock, log: lines, ends: [] });
const { store } = opened;
const portal = await createPortal({
  store,
  bus,
  gateway: benchGateway([...people, viewer], null),
  ...portalRooms(opened, systemClock, lines),
  settings: {
    listenHost: '127.0.0.1',
    listenPort: port,
    url: 'http://svc.localhost:0',
    origins: 'subdomain',
    trustedProxies: [],
    shellScripts: 'system',
  },
  controlSocket: null,
  assets: { shellDir: folder, sdkWebDir: folder },
  log: lines,
  clock: systemClock,
});
await portal.listen();

/** Follows the sign-in link as a browser would; answers the cookie. */
async function signIn(usuario: string): Promise<string> {
  const { search } = new URL(await portal.signInLink(usuario));
  const headers = { host, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'none' };
  return new Promise((resolve, reject) => {
    http
      .get({ host: '127.0.0.1', port, path: `/${search}`, headers }, (res) => {
        res.resume();
        const cookie = res.headers['set-cookie']?.[0]?.split(';')[0];
        if (cookie === undefined) reject(new Error(`no session for ${usuario}: ${res.statusCode}`));
        else resolve(cookie);
      })
      .on('error', reject);
  });
}

async function makeRoom(n: number): Promise<string> {
  const id = `s${String(n).padStart(21, '0')}`;
  const atMs = systemClock.nowMs();
  const room = {
    id,
    app: 'notas',
    nome: `Sala ${n}`,
    dona: `u${n % people.length}`,
    createdAtMs: atMs,
    changedAtMs: atMs,
    declaredName: null,
  };
  await store.rooms.createRoom(room);
  await store.rooms.giveGroup(id, grupo, { papel: 'editar', atMs, invitations: [] });
  await store.rooms.giveGroup(id, readers, { papel: 'ver', atMs, invitations: [] });
  return id;
}

const cookies: string[] = [];
for (const { usuario } of people) cookies.push(await signIn(usuario));
const rooms: string[] = [];
for (let n = 0; n < 520; n += 1) rooms.push(await makeRoom(n));
answerHeap(collector());
const portalFacts = { host, rooms, cookies, viewerCookie: await signIn(viewer.usuario) };
console.log(JSON.stringify({ port, dialect: 'y-websocket', path: null, portal: portalFacts } satisfies ServerFacts));
process.on('SIGTERM', () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
