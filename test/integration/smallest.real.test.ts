/** The smallest backends, as the design writes them and as docs/app-authors.md shows them: what an author copies works as it stands. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { testApp } from '../../bin/test-app/run.ts';

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

const guide = readFileSync(new URL('../../docs/app-authors.md', import.meta.url), 'utf8');
const shown = (language: string): string => new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(guide)![1]!;

const folder = mkdtempSync(join(tmpdir(), 'svc-min-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.concurrent.for([
  ['design', 'python3', designPython],
  ['design', 'node', designNode],
  ['docs/app-authors.md', 'python3', shown('python')],
  ['docs/app-authors.md', 'node', shown('js')],
] as const)('svc test-app finds no fault with the backend of %s in %s as it stands', async ([source, runtime, code]) => {
  const app = join(folder, `${source.replaceAll('/', '-')}-${runtime}`);
  const entrypoint = `backend/main.${runtime === 'node' ? 'mjs' : 'py'}`;
  for (const part of ['backend', 'frontend']) mkdirSync(join(app, part), { recursive: true });
  writeFileSync(join(app, entrypoint), code);
  writeFileSync(join(app, 'frontend/index.html'), '<head></head>oi');
  for (const script of ['extra.js', 'app.js']) writeFileSync(join(app, 'frontend', script), '1');
  const backend = { runtime, entrypoint, healthcheckPath: '/api/ping' };
  writeFileSync(join(app, 'svc-app.json'), JSON.stringify({ id: 'minimo', version: '1.0.0', backend }));
  const { findings } = await testApp(app, process.env);
  expect(findings.filter(([, { verdict }]) => !['pass', 'notApplicable'].includes(verdict))).toEqual([]);
  expect(Object.fromEntries(findings)).toMatchObject({ health: { detail: { en: '/api/ping 200' } } });
});
