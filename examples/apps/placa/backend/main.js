/** Placa: an app that uses a GPU when it has one (`recursos.gpu.modo: opcional`) and works without. Here the work is to tell which. */
import http from 'node:http';
import { createRequire } from 'node:module';

const { escutar, gpu, servidor, web } = createRequire(import.meta.url)('svc');
const log = servidor.criarLog();
const pagina = web.spa(new URL('../frontend/', import.meta.url), { ui: true, scripts: ['placa.js'], aoAvisar: log });

// The verdict holds for the life of the process: an app asks once and takes the way that goes with it.
const { concedida, motivo } = gpu.concedida();
const motor = concedida ? 'gpu' : 'processador';
log('placa.inicio', { motor, motivo });

escutar(
  http.createServer(
    servidor.portao((req, res) => {
      if (req.method === 'GET' && req.url === '/api/gpu') return servidor.responderJson(res, 200, { motor, ...gpu.estado() });
      return pagina(req, res) || servidor.responderJson(res, 404, { error: 'rota desconhecida' });
    }),
  ),
);
