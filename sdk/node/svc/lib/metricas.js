'use strict';
/**
 * Metrics of the app (rules 2.1 `recursos.metricas`): `contar`, `duracao`, `relatarErro`. A call adds to a number in memory and returns; it
 * never throws and waits for nothing. The sums go to the portal every few seconds in batches, each counted once however often it is sent.
 * While the portal is away, at most 300 series and 50 stacks are kept (twice: those that wait, and those of the batch that is being sent);
 * more is counted as refused. At the end of the process the rest is sent, for at most two seconds. Without the declaration nothing is kept.
 * The Python library keeps the same contract. Decision: docs/decisions/0213-metrics-of-apps.md
 */
const { randomBytes } = require('node:crypto');
const { version } = require('./app.js');
const { ownLog } = require('./log.js');
const portal = require('./portal.js');

const LIMITES_S = [0.005, 0.025, 0.1, 0.5, 1, 5, 30, 300];
const SERIES_MAX = 300;
const PILHAS_MAX = 50;
const ITEM_BYTES_MAX = 2_048;
const PILHA_CHARS_MAX = 4_000;
const LOTE_BYTES_MAX = 48 * 1_024;
const INTERVALO_MS = 5_000;
const ESPERA_MS_MAX = 60_000;
const RESPOSTA_MS_MAX = 5_000;
const FIM_MS_MAX = 2_000;
const AVISOS_MAX = 100;

const origem = randomBytes(12).toString('base64url');
let contadores = new Map();
let duracoes = new Map();
let erros = new Map();
let descartados = {};
/** Batches with their numbers, as they are sent, until the portal took them. */
let lotes = [];
let numero = 0;
let falhas = 0;
let enviando = null;
let relogio = null;
let recusada = null;
let ligado;
const avisados = new Set();

function disponivel() {
  return recusada ?? portal.disponivel('metricas');
}

function ativo() {
  ligado ??= portal.disponivel('metricas').disponivel;
  return ligado && recusada === null;
}

function descartar(motivo, n = 1) {
  descartados[motivo] = (descartados[motivo] ?? 0) + n;
  agendar();
}

function chaveDe(evento, rotulos) {
  let chave = evento;
  for (const nome in rotulos) chave += `\0${nome}\u0001${rotulos[nome]}`;
  return chave;
}

/** The cell of an event with its labels; null when there is no room for another. */
function celula(mapa, chave, evento, rotulos, vazia) {
  if (contadores.size + duracoes.size >= SERIES_MAX) return descartar('series');
  const item = { evento };
  if (rotulos !== undefined) item.rotulos = Object.fromEntries(Object.entries(rotulos).map(([nome, valor]) => [nome, String(valor)]));
  if (Buffer.byteLength(JSON.stringify(item)) > ITEM_BYTES_MAX) return descartar('tamanho');
  const nova = Object.assign(item, vazia());
  mapa.set(chave, nova);
  agendar();
  return nova;
}

/** Adds `n` to the counter of the event. `contar('exportado', 1, { formato: 'pdf' })`. */
function contar(evento, n = 1, rotulos) {
  try {
    if (!ativo()) return;
    if (typeof evento !== 'string' || typeof n !== 'number' || !(n > 0 && n < 1e12)) {
      descartar('valor');
      return;
    }
    const chave = rotulos === undefined ? evento : chaveDe(evento, rotulos);
    const achada = contadores.get(chave) ?? celula(contadores, chave, evento, rotulos, () => ({ n: 0 }));
    if (achada) achada.n += n;
  } catch {
    // A label that can't be text costs its count, never the caller.
  }
}

/** Records how long something took, in seconds. `duracao('exportar', 1.7, { formato: 'pdf' })`. */
function duracao(evento, segundos, rotulos) {
  try {
    if (!ativo()) return;
    if (typeof evento !== 'string' || typeof segundos !== 'number' || !(segundos >= 0 && segundos < 1e9)) {
      descartar('valor');
      return;
    }
    const chave = rotulos === undefined ? evento : chaveDe(evento, rotulos);
    const vazia = () => ({ baldes: Array.from({ length: LIMITES_S.length + 1 }, () => 0), soma: 0 });
    const achada = duracoes.get(chave) ?? celula(duracoes, chave, evento, rotulos, vazia);
    if (!achada) return;
    let onde = 0;
    while (onde < LIMITES_S.length && segundos > LIMITES_S[onde]) onde += 1;
    achada.baldes[onde] += 1;
    achada.soma += segundos;
  } catch {
    // as above
  }
}

/** Sends an exception to the environment log: its kind, message and stack. The same stack again is one more of the same. */
function relatarErro(erro) {
  try {
    if (!ativo()) return;
    const tipo = String(erro?.name ?? typeof erro).slice(0, 100);
    const pilha = quadros(erro).slice(0, PILHA_CHARS_MAX);
    const mensagem = String(erro?.message ?? erro).slice(0, 500);
    const chave = `${tipo}\0${pilha === '' ? mensagem : pilha}`;
    const achado = erros.get(chave);
    if (achado) Object.assign(achado, { mensagem, n: achado.n + 1 });
    else if (erros.size >= PILHAS_MAX) descartar('erros');
    else erros.set(chave, { tipo, mensagem, pilha, n: 1 });
    agendar();
  } catch {
    // A thing that can't be shown is not reported.
  }
}

/** The frames without the message, which may be another one each time. */
function quadros(erro) {
  return typeof erro?.stack === 'string'
    ? erro.stack
        .split('\n')
        .filter((linha) => /^\s+at /.test(linha))
        .map((linha) => linha.trim())
        .join('\n')
    : '';
}

function agendar(ms = INTERVALO_MS) {
  relogio ??= setTimeout(() => {
    relogio = null;
    void enviar();
  }, ms).unref();
}

/** Packs the sums since the last call into batches that fit into a request. */
function fecharLotes() {
  const itens = [
    ...[...contadores.values()].map((item) => ['contadores', item]),
    ...[...duracoes.values()].map((item) => ['duracoes', item]),
    ...[...erros.values()].map((item) => ['erros', item]),
  ];
  const resto = descartados;
  [contadores, duracoes, erros, descartados] = [new Map(), new Map(), new Map(), {}];
  let lote = null;
  let bytes = 0;
  const novo = () => {
    lote = { origem, lote: (numero += 1), versao: version() };
    bytes = 0;
    lotes.push(lote);
  };
  for (const [qual, item] of itens) {
    const tamanho = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (lote === null || bytes + tamanho > LOTE_BYTES_MAX) novo();
    (lote[qual] ??= []).push(item);
    bytes += tamanho;
  }
  if (Object.keys(resto).length > 0) {
    if (lote === null) novo();
    lote.descartados = resto;
  }
}

/** Runs a single sender at a time; resolves when there is nothing left to send, or the portal does not accept it. */
function enviar(esperaMs = RESPOSTA_MS_MAX) {
  enviando ??= tentar(esperaMs).finally(() => {
    enviando = null;
    if (lotes.length === 0) return;
    clearTimeout(relogio);
    relogio = null;
    agendar(Math.min(ESPERA_MS_MAX, 1_000 * 2 ** (falhas - 1)) * (0.5 + Math.random() / 2));
  });
  return enviando;
}

async function tentar(esperaMs) {
  if (lotes.length === 0) fecharLotes();
  while (lotes.length > 0 && recusada === null) {
    try {
      const { bytes } = await portal.chamar('metricas', 'POST', '/api/metricas', { json: lotes[0], esperaMs });
      avisar(JSON.parse(bytes.toString('utf8')).recusados ?? []);
    } catch (problema) {
      const { status = 0 } = problema;
      if (status === 403) return desistir(problema);
      // No answer, a portal that starts, too many at once: the same batch again. Any other refusal is of this batch alone.
      if (status === 0 || status === 401 || status === 408 || status === 429 || status >= 500) {
        falhas += 1;
        return;
      }
      avisar([{ evento: '', motivo: problema.message, n: 1 }]);
    }
    falhas = 0;
    lotes.shift();
  }
  // Events that were counted during the sending, or the wait before it.
  if (ha()) agendar();
}

function desistir(problema) {
  recusada = { disponivel: false, motivo: `o portal recusou a credencial: ${problema.message}`, codigo: 'CREDENCIAL_RECUSADA' };
  lotes = [];
}

/** Into app.log, each once: that is where the author looks. */
function avisar(recusados) {
  for (const { evento, motivo, n } of recusados) {
    const chave = `${evento}\0${motivo}`;
    if (avisados.has(chave) || avisados.size >= AVISOS_MAX) continue;
    avisados.add(chave);
    ownLog().erro('metricas: não contado', { evento_: evento, motivo, n });
  }
}

const ha = () => contadores.size + duracoes.size + erros.size + lotes.length + Object.keys(descartados).length > 0;

/** Sends what is left, for at most `prazoMs`; what a stopping app awaits. Never rejects. */
async function encerrar(prazoMs = FIM_MS_MAX) {
  const fim = Date.now() + prazoMs;
  const tudo = async () => {
    // Waits for the batch under way, then sends what was counted after it.
    await enviando;
    if (ha()) await enviar(Math.max(1, fim - Date.now()));
    if (ha() && falhas === 0) await enviar(Math.max(1, fim - Date.now()));
  };
  if (!ativo() || !(ha() || enviando)) return;
  let alarme;
  const tarde = new Promise((resolve) => {
    alarme = setTimeout(resolve, prazoMs);
  });
  await Promise.race([tudo(), tarde]);
  clearTimeout(alarme);
}

// A process that ends by itself; one that listens ends by lib/listen.js. With the portal away it is tried once and not waited for again.
process.once('beforeExit', () => void encerrar());

module.exports = { disponivel, contar, duracao, relatarErro, encerrar };
