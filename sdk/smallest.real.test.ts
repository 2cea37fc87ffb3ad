/** The smallest backends, as the design writes them and as docs/app-authors.md shows them: what an author copies works as it stands. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { ask, backendEnv, cleanUp, commandOf, start, temporaryFolder, type Runtime } from './testing/runtimes.ts';

// Source: design 6.1, word by word.
const designPython = `import pathlib, sys
from svc import servidor, web                      # also: fila, gpu, metricas, salas
RAIZ = pathlib.Path(__file__).resolve().parent.parent
log = servidor.criar_log()                         # log('evento', chave=valor): one JSON line in app.log; also log.info / log.erro
pagina = web.spa(RAIZ / 'frontend', ui=True, scripts=['extra.js'], ao_avisar=log)

class Pedido(servidor.Pedido):                     # an http.server handler behind the gate; /saude is answered before it
    def atender(self, metodo):
        if metodo == 'GET' and self.path == '/api/ping':
            return self.responder_json(200, {'pong': True})
        if not pagina(self):                       # True when it served the request
            self.responder_json(404, {'error': 'rota desconhecida'})

sys.exit(servidor.escutar(Pedido, sys.argv[1:]))   # SVC_APP_SOCKET, or --tcp host:port
`;
const designNode = `import http from 'node:http'
import { createRequire } from 'node:module'
const { escutar, servidor, web } = createRequire(import.meta.url)('svc')
const log = servidor.criarLog()
const pagina = web.spa(new URL('../frontend/', import.meta.url), { ui: true, scripts: [], aoAvisar: log })
const server = http.createServer(servidor.portao((req, res) => {   // the gate wraps any (req, res) handler; upgrades pass it too
  if (req.url === '/api/ping') return servidor.responderJson(res, 200, { pong: true })
  if (!pagina(req, res)) servidor.responderJson(res, 404, { error: 'rota desconhecida' })
}))
escutar(server)
`;

const guide = readFileSync(new URL('../docs/app-authors.md', import.meta.url), 'utf8');
const shown = (language: string): string => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(guide)![1]!;

afterAll(cleanUp);

test.each([
  ['design', 'python', designPython],
  ['design', 'node', designNode],
  ['docs/app-authors.md', 'python', shown('python')],
  ['docs/app-authors.md', 'node', shown('js')],
] as const)('the backend of %s in %s runs as it stands', async (_source, runtime: Runtime, code) => {
  const home = temporaryFolder();
  const entrypoint = join(home, 'app/backend', runtime === 'python' ? 'main.py' : 'main.mjs');
  for (const folder of ['app/backend', 'app/frontend']) mkdirSync(join(home, folder), { recursive: true });
  writeFileSync(entrypoint, code);
  writeFileSync(join(dirname(entrypoint), '../frontend/index.html'), '<head></head>oi');
  for (const script of ['extra.js', 'app.js']) writeFileSync(join(dirname(entrypoint), '../frontend', script), '1');
  const socket = join(home, 's/app.sock');
  const backend = start(
    commandOf(runtime, entrypoint),
    backendEnv(home, { SVC_APP_ID: 'minimo', SVC_APP_SOCKET: socket, SVC_APP_TOKEN: 'ficha' }),
  );
  await backend.said('[minimo] versão dev escutando em');
  const get = (path: string) => ask(socket, { path, headers: [['X-Svc-App-Token', 'ficha']] });
  expect((await get('/api/ping')).body).toBe('{"pong":true}');
  expect((await get('/')).body).toMatch(/<head>.*_sdk\/svc\.js.*<\/head>oi/);
  expect(await get('/api/nada')).toMatchObject({ status: 404, body: '{"error":"rota desconhecida"}' });
  expect((await get('/saude')).status).toBe(200);
  expect((await ask(socket, { path: '/api/ping' })).status).toBe(403);
  backend.process.kill('SIGTERM');
  expect(await backend.ended).toBe(0);
});
