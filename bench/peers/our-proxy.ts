/** Only our proxy, without sessions and hosts, on a bare node:http server: what api/proxy itself costs. argv: port, socket, and `undici` for its client. */
import { createServer } from 'node:http';
import net from 'node:net';
import { createProxy, type ProxyDeps, type ProxyTarget } from '../../api/proxy/proxy.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { createUndiciUpstream } from '../../api/proxy/testing/undici-upstream.ts';

const [port, socketPath, client] = process.argv.slice(2);
const route = {
  generation: '1',
  socketPath: socketPath!,
  dial: () => Promise.resolve(net.connect(socketPath!)),
  token: 'token',
  keepIdleMs: 600_000,
};
const refuse = () => Promise.reject(new Error('not in this benchmark'));
const deps: ProxyDeps = {
  route: () => route,
  tokenRefused: () => undefined,
  badAnswer: () => undefined,
  hold: refuse,
  wish: refuse,
  logTail: refuse,
  appView: () => null,
  bus: { onPublish: () => () => {} },
  portalOrigin: `http://127.0.0.1:${port}`,
  clock: systemClock,
};
const proxy = client === 'undici' ? createProxy(deps, createUndiciUpstream) : createProxy(deps);
const target = (path: string): ProxyTarget => ({ person: 'ana', app: 'notas', path, basePath: '/', session: null });
const server = createServer((req, res) => proxy.handle(req, res, target(req.url!)));
server.on('upgrade', (req, socket, head) => proxy.upgrade(req, socket, head, target(req.url!)));
server.listen(Number(port), '127.0.0.1', () => console.log('ready'));
