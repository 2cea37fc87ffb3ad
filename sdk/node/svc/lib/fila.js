'use strict';
/**
 * The processing queue (rules 2.1 `recursos.fila`): jobs of this app for its person, on a cluster of the portal. The command runs in a
 * folder of its own that has the inputs at their paths; files that it leaves in `saida/` can be fetched. Passing failures (no network, a
 * portal that restarts) are retried for `pacienciaMs`, and no retry acts twice. docs/queue.md
 */
const { randomUUID } = require('node:crypto');
const { ErroSvc } = require('./erros.js');
const bytes = require('./fila-bytes.js');
const { chamar, json } = bytes;
const portal = require('./portal.js');

const FIM = new Set(['terminado', 'falhou', 'cancelado']);
const DISPONIVEL_MS = 5_000;
const ESPERA_S = 25;

/** { disponivel, motivo, codigo }: what this app may, and then what the portal says of its queue. */
async function disponivel() {
  const estado = portal.disponivel('fila');
  if (!estado.disponivel) return estado;
  try {
    const resposta = await portal.pedir('fila.disponivel', 'GET', '/api/fila', { esperaMs: DISPONIVEL_MS });
    const { disponivel: pode, motivo, codigo } = JSON.parse(resposta.bytes.toString('utf8'));
    return pode === true ? { disponivel: true, motivo: null, codigo: null } : { disponivel: false, motivo, codigo };
  } catch (problema) {
    if (problema instanceof ErroSvc) return { disponivel: false, motivo: problema.mensagem, codigo: problema.codigo };
    return { disponivel: false, motivo: 'fila.disponivel: não é um portal que responde', codigo: 'SEM_RESPOSTA' };
  }
}

/** Uploads what the portal lacks of `entradas` and submits: the job, with its `id`. Without a `chave` each call is a new job. */
async function submeter({ comando, entradas = {}, ambiente, limites, imagem, cluster, nome, chave, pacienciaMs = 120_000, signal } = {}) {
  portal.recusar('fila', 'submeter');
  if (!Array.isArray(comando)) throw new TypeError('fila.submeter: comando é uma lista de palavras');
  const fontes = [];
  for (const [caminho, fonte] of Object.entries(entradas)) fontes.push({ caminho, ...(await bytes.entrada(fonte)) });
  const pedido = {
    chave: chave ?? randomUUID(),
    comando,
    entradas: fontes.map(({ caminho, sha }) => ({ caminho, sha })),
    nome,
    imagem,
    ambiente,
    limites,
    cluster,
  };
  const como = { pacienciaMs, signal };
  const enviar = async () => {
    for (const fonte of fontes) await bytes.enviar(fonte, como);
    return await json('submeter', 'POST', ['trabalhos'], { ...como, json: pedido });
  };
  try {
    return await enviar();
  } catch (problema) {
    // An input that no job referred to may be swept away between the two.
    if (problema.codigo === 'INPUT_MISSING') return await enviar();
    throw problema;
  }
}

/**
 * Yields the job as it is, then at each change, and ends with its end; `linhas` is what its log has since the time before. A portal that is away is
 * waited for `pacienciaMs`. A job that is `desconhecido` goes on: its cluster does not answer.
 */
async function* acompanhar(trabalho, { pacienciaMs = 600_000, signal } = {}) {
  const como = { pacienciaMs, signal };
  const decodificador = new TextDecoder('utf-8', { ignoreBOM: true });
  let [versao, ate, resto] = [null, 0, ''];
  for (;;) {
    const resposta = await chamar('acompanhar', 'GET', ['trabalhos', trabalho], {
      ...como,
      consulta: { espera: ESPERA_S },
      cabecalhos: versao === null ? {} : { 'if-none-match': versao },
      esperaMs: ESPERA_S * 1_000 + portal.ESPERA_MS,
    });
    if (resposta.status === 304) continue;
    versao = resposta.cabecalhos.get('etag');
    const agora = JSON.parse(resposta.bytes.toString('utf8'));
    const acabou = FIM.has(agora.estado);
    while (ate < agora.registo) {
      const pedaco = await chamar('acompanhar', 'GET', ['trabalhos', trabalho, 'registo'], { ...como, consulta: { desde: ate } });
      if (pedaco.bytes.length === 0) break;
      ate += pedaco.bytes.length;
      resto += decodificador.decode(pedaco.bytes, { stream: true });
    }
    const linhas = resto.split('\n');
    resto = linhas.pop();
    if (acabou && resto !== '') linhas.push(resto);
    yield { ...agora, linhas };
    if (acabou) return;
  }
}

/** Outputs of the job so far, below `saida/`. */
const saidas = async (trabalho) => (await json('saidas', 'GET', ['trabalhos', trabalho, 'saida'])).saidas;

/**
 * Writes one output, or all that are complete, below `pasta`: their paths. A file gets its name when it is whole and its hash is right; a download
 * that broke off goes on where it was, also in another call.
 */
async function baixar(trabalho, pasta, caminho, { pacienciaMs = 600_000, signal } = {}) {
  const todas = (await saidas(trabalho)).filter((saida) => saida.completo && (caminho == null || caminho === saida.caminho));
  if (caminho != null && todas.length === 0)
    throw new ErroSvc('NOT_FOUND', `fila.baixar: o trabalho não tem a saída ${caminho}, ou ainda não`);
  const arquivos = [];
  for (const saida of todas) arquivos.push(await bytes.baixar(trabalho, saida, pasta, { pacienciaMs, signal }));
  return arquivos;
}

/** The jobs of this app for its person, the newest first: all of them, or as many as `limite` says. */
async function listar({ limite = Infinity, pacienciaMs, signal } = {}) {
  const trabalhos = [];
  for (let mais = true; mais && trabalhos.length < limite;) {
    const antes = trabalhos.at(-1)?.id;
    const pagina = await json('listar', 'GET', [], { pacienciaMs, signal, ...(antes !== undefined && { consulta: { antes } }) });
    trabalhos.push(...pagina.trabalhos.slice(0, limite - trabalhos.length));
    mais = pagina.mais;
  }
  return trabalhos;
}

module.exports = {
  disponivel,
  submeter,
  acompanhar,
  saidas,
  baixar,
  /** The job as it is then; one that ended stays as it is. */
  cancelar: (trabalho) => json('cancelar', 'DELETE', ['trabalhos', trabalho]),
  listar,
};
