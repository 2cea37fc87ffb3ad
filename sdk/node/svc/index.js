'use strict';
/**
 * Runtime library of a backend of svc (rules 4.4, 4.5, 5) for Node 20 and newer, no dependencies.
 *
 * An ES module loads it with `createRequire(import.meta.url)('svc')`, or by `import` where import.cjs is preloaded. The Python library (sdk/python/svc) keeps the same
 * contract; sdk/contract.real.test.ts drives one table over both.
 */
const { criarLog } = require('./lib/log.js');
const { encerrar, escutar } = require('./lib/listen.js');
const { portao, responderJson } = require('./lib/handler.js');
const { lerCorpo, lerJson } = require('./lib/body.js');
const { spa } = require('./lib/spa.js');
const { dataDir } = require('./lib/app.js');
const { emNomeDe } = require('./lib/pessoa.js');
const { ErroSvc } = require('./lib/erros.js');

// Exported by name, so that an ES module that imports the package of an author finds the names.
exports.escutar = escutar;
exports.servidor = { escutar, encerrar, portao, criarLog, responderJson, lerCorpo, lerJson, emNomeDe, pastaDeDados: dataDir };
exports.web = { spa };
exports.apps = require('./lib/apps.js');
exports.fila = require('./lib/fila.js');
exports.gpu = require('./lib/gpu.js');
exports.metricas = require('./lib/metricas.js');
exports.salas = require('./lib/salas.js');
exports.ErroSvc = ErroSvc;
