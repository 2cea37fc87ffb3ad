/**
 * Apps that one author could have written: `hostil` attacks, `vitima` is attacked, `fonte` offers to each of the two what the other may not use.
 * None has a policy of its own; only `vitima` uses the SDK.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** A secret that only the page of the victim, and whoever got into it, can know. */
export const secretOfVictim = 'segredo-da-vitima-7f31';

const backend = `
import { createHash } from 'node:crypto';
import http from 'node:http';

const id = process.env.SVC_APP_ID;
const secret = ${JSON.stringify(secretOfVictim)};
let visits = 0;
const scripts = {
  vitima: \`<script src="_sdk/svc.js"></script><script>
localStorage.setItem('vitima', '\${secret}');
sessionStorage.setItem('vitima', '\${secret}');
const channel = new BroadcastChannel('canal');
setInterval(() => channel.postMessage('\${secret}'), 50);
new SharedWorker('obreiro.js').port.start();
const kept = async () => {
  await (await caches.open('da-vitima')).put('/da-vitima', new Response('\${secret}'));
  await new Promise((resolve) => (indexedDB.open('da-vitima').onsuccess = resolve));
  const file = await (await navigator.storage.getDirectory()).getFileHandle('da-vitima', { create: true });
  const to = await file.createWritable();
  await to.write('\${secret}');
  await to.close();
};
kept().then(() => (document.body.dataset.pronta = ''));
</script>\`,
  // Not the SDK: it speaks to the shell as it likes. Its received answers are in respondido.
  hostil: \`<script>
const ligada = () => new Promise((resolve) => {
  addEventListener('message', function heard({ data, ports }) {
    if (data?.svc !== 'porta') return;
    removeEventListener('message', heard);
    ports[0].start();
    resolve(ports[0]);
  });
  parent.postMessage({ svc: 'ola', v: 1 }, '*');
});
let porta, vezes = 0;
const perguntar = async (verbo, args = {}, moved = []) => {
  const port = await (porta ??= ligada());
  const id = 'p' + ++vezes;
  return await new Promise((resolve) => {
    port.addEventListener('message', ({ data }) => data.id === id && resolve(data));
    port.postMessage({ id, verbo, args }, moved);
  });
};
const dizer = async (evento, dados) => (await (porta ??= ligada())).postMessage({ evento, dados });
const pedir = async (capacidade, more = {}) => {
  const { port1, port2 } = new MessageChannel();
  globalThis.canal = port1;
  const first = new Promise((resolve) => (port1.onmessage = ({ data }) => {
    if (data.cabeca) globalThis.respondido = data.cabeca;
    if (data.cabeca || data.erro) resolve(data);
  }));
  const asked = await perguntar('apps.pedir', { capacidade, caminho: '/a', metodo: 'GET', cabecalhos: [], corpo: null, porta: port2, ...more }, [port2]);
  return asked.ok ? await first : asked;
};
</script>\`,
};
const page = \`<!doctype html><meta charset="utf-8"><title>\${id}</title><p>\${id === 'vitima' ? secret : 'ataque'}</p><button id="agir">agir</button>\${scripts[id] ?? ''}\`;

const server = http.createServer((req, res) => {
  const where = req.url.split('?', 1)[0];
  if (where === '/sw.js') return res.writeHead(200, { 'Content-Type': 'text/javascript', 'Service-Worker-Allowed': '/' }).end('onfetch = () => {};');
  if (where === '/obreiro.js')
    return res.writeHead(200, { 'Content-Type': 'text/javascript' }).end(\`onconnect = ({ ports }) => ports[0].postMessage('\${secret}');\`);
  if (where === '/biscoitos') return res.writeHead(200, { 'Content-Type': 'text/plain' }).end(req.headers.cookie ?? '');
  if (where === '/limpa') return res.writeHead(200, { 'Clear-Site-Data': '"*"', 'Content-Type': 'text/plain' }).end('limpo');
  if (where === '/jarro') {
    const cookies = ['__Host-svc=roubada; Path=/; Secure', 'svc-sessao=roubada; Path=/', 'larga=1; Domain=svc.localhost; Path=/'];
    return res.writeHead(200, { 'Set-Cookie': cookies, 'Content-Type': 'text/plain' }).end('posto');
  }
  if (where === '/salto') return res.writeHead(302, { Location: new URL(req.url, 'http://x').searchParams.get('para') }).end();
  if (where === '/alvo') visits += 1;
  if (where === '/visitas') return res.writeHead(200, { 'Content-Type': 'text/plain' }).end(String(visits));
  res.writeHead(200, { 'Content-Type': where === '/alvo' ? 'text/plain' : 'text/html; charset=utf-8' }).end(where === '/alvo' ? secret : page);
});
server.on('upgrade', (req, socket) => {
  const accept = createHash('sha1').update(req.headers['sec-websocket-key'] + '258EAFA5-E914-47DA-95CA-C5AB0DC85B11').digest('base64');
  socket.on('error', () => socket.destroy());
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: ' + accept + '\\r\\n\\r\\n');
});
server.listen(process.env.SVC_APP_SOCKET);
process.on('SIGTERM', () => process.exit(0));
`;

const apps = [
  { id: 'hostil', name: 'Hostil', usa: ['cofre/v1'] },
  { id: 'vitima', name: 'Vítima', usa: ['banco/v1'] },
  {
    id: 'fonte',
    name: 'Fonte',
    type: 'engine',
    provides: ['cofre/v1', 'banco/v1'],
    capacidades: { 'cofre/v1': { rota: '/cofre', rotulo: 'O cofre' }, 'banco/v1': { rota: '/banco', rotulo: 'O banco' } },
  },
];
export const hostileApps = apps.map(({ id }) => id);

/** Writes the packages below the folder. */
export async function writeHostileApps(folder: string): Promise<void> {
  for (const app of apps) {
    await mkdir(path.join(folder, app.id, 'backend'), { recursive: true });
    const manifest = { ...app, version: '1.0.0', backend: { runtime: 'node', entrypoint: 'backend/main.mjs' } };
    await writeFile(path.join(folder, app.id, 'svc-app.json'), JSON.stringify(manifest));
    await writeFile(path.join(folder, app.id, 'backend/main.mjs'), backend);
  }
}
