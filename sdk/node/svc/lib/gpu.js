'use strict';
/** The launcher's verdict on the GPU (rules 2.1 `recursos.gpu`), read from `~/.svc-apps/<id>/limits.json`. */
const fs = require('node:fs');
const path = require('node:path');
const { appDir } = require('./app.js');

const BYTES_MAX = 256 * 1024;

function verdict() {
  const file = path.join(appDir(), 'limits.json');
  try {
    const seen = fs.statSync(file);
    if (!seen.isFile()) throw new Error('não é um arquivo comum');
    const found = seen.size <= BYTES_MAX ? JSON.parse(fs.readFileSync(file, 'utf8')) : null;
    const gpu = found?.gpu;
    if (gpu !== null && typeof gpu === 'object' && !Array.isArray(gpu)) return { gpu, why: '', codigo: 'SEM_GPU' };
    return { gpu: {}, why: 'o manifesto não declara recursos.gpu', codigo: 'SEM_ESCOPO' };
  } catch (problem) {
    if (problem.code === 'ENOENT')
      return { gpu: {}, why: 'não há limits.json: o app não foi iniciado pelo lançador', codigo: 'SEM_LANCADOR' };
    return { gpu: {}, why: `limits.json ilegível: ${problem.message}`, codigo: 'ILEGIVEL' };
  }
}

/** { concedida, dispositivos, motivo }. */
function concedida() {
  const { gpu, why } = verdict();
  const granted = gpu.concedida === true;
  const reason = why || (granted ? '' : 'sem motivo registrado');
  return {
    concedida: granted,
    dispositivos: granted && Array.isArray(gpu.dispositivos) ? gpu.dispositivos : [],
    motivo: typeof gpu.motivo === 'string' ? gpu.motivo : reason,
  };
}

/**
 * { declarada, modo, concedida, acessivel, dispositivos, inventario, motivo }: the verdict of the start, and whether it still holds.
 * `acessivel` looks now: a card can be taken away, or its group changed, while the app runs. `inventario` is every card of the server.
 */
function estado() {
  const { gpu } = verdict();
  const found = concedida();
  return {
    declarada: Object.keys(gpu).length > 0,
    modo: ['opcional', 'necessaria'].includes(gpu.modo) ? gpu.modo : null,
    concedida: found.concedida,
    acessivel: found.dispositivos.some(opens),
    dispositivos: found.dispositivos,
    inventario: Array.isArray(gpu.inventario) ? gpu.inventario : [],
    motivo: found.motivo,
  };
}

function opens(device) {
  const file = device?.dispositivo;
  if (typeof file !== 'string' || !file.startsWith('/dev/')) return false;
  try {
    fs.closeSync(fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY));
    return true;
  } catch {
    return false;
  }
}

/** { disponivel, motivo, codigo }: whether this process may use a GPU. */
function disponivel() {
  const found = concedida();
  if (found.concedida) return { disponivel: true, motivo: null, codigo: null };
  return { disponivel: false, motivo: found.motivo, codigo: verdict().codigo };
}

module.exports = { concedida, disponivel, estado };
