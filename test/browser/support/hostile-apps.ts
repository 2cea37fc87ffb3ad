/** Two apps that one author could have written: `hostil` attacks, `vitima` is attacked. Neither has a policy of its own, and neither uses the SDK. */
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** What only the page of the victim, and whoever got into it, can know. */
export const secretOfVictim = 'segredo-da-vitima-7f31';

const backend = `
import { createHash } from 'node:crypto';
import http from 'node:http';

const id = process.env.SVC_APP_ID;
const secret = ${JSON.stringify(secretOfVictim)};
let visits = 0;
const page = \`<!doctype html><meta charset="utf-8"><title>\${id}</title><p>\${id === 'vitima' ? secret : 'ataque'}</p><button id="agir">agir</button>
<script>
if (document.title === 'vitima') {
  localStorage.setItem('vitima', '\${secret}');
  const channel = new BroadcastChannel('canal');
  setInterval(() => channel.postMessage('\${secret}'), 50);
}
</script>\`;

const server = http.createServer((req, res) => {
  const where = req.url.split('?', 1)[0];
  if (where === '/sw.js') return res.writeHead(200, { 'Content-Type': 'text/javascript', 'Service-Worker-Allowed': '/' }).end('onfetch = () => {};');
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

/** Writes both packages below the folder. */
export async function writeHostileApps(folder: string): Promise<void> {
  for (const [id, name] of [
    ['hostil', 'Hostil'],
    ['vitima', 'Vítima'],
  ] as const) {
    await mkdir(path.join(folder, id, 'backend'), { recursive: true });
    const manifest = { id, name, version: '1.0.0', backend: { runtime: 'node', entrypoint: 'backend/main.mjs' } };
    await writeFile(path.join(folder, id, 'svc-app.json'), JSON.stringify(manifest));
    await writeFile(path.join(folder, id, 'backend/main.mjs'), backend);
  }
}
