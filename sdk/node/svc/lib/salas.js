'use strict';
/** Shared rooms (rules 2.1 `recursos.salas`, 2.4, 5): the rooms of this app that its person is in. `entrar` joins one as a page does. */
const { ErroSvc } = require('./erros.js');
const portal = require('./portal.js');

const ANEXO_ESPERA_MS = 180_000;
const CANAIS = ['documento', 'comentarios'];

const disponivel = () => portal.disponivel('salas');
const caminhoDe = (...partes) => ['/api/salas', ...partes.map((parte) => encodeURIComponent(String(parte)))].join('/');

async function chamar(verbo, metodo, partes, opcoes) {
  portal.recusar('salas', verbo);
  return await portal.chamar(`salas.${verbo}`, metodo, caminhoDe(...partes), opcoes);
}

async function json(...chamada) {
  const { bytes } = await chamar(...chamada);
  return bytes.length === 0 ? null : JSON.parse(bytes.toString('utf8'));
}

const semResposta = async (...chamada) => {
  await chamar(...chamada);
};

/** `ws://…` or `wss://…` of the portal, without a path. */
const origemWs = () => portal.endereco('/').origin.replace(/^http/, 'ws');

/** A ticket for both channels, good for 60 s. `bilhete` and `urls` are null when the person is not in the room any more. */
async function bilhete(sala) {
  const resposta = await json('bilhete', 'POST', [sala, 'bilhete'], { json: { app: process.env.SVC_APP_ID } });
  const url = (canal) => `${origemWs()}${resposta.caminho}/${canal}?bilhete=${encodeURIComponent(resposta.bilhete)}`;
  const urls = resposta.bilhete === null ? null : Object.fromEntries(CANAIS.map((canal) => [canal, url(canal)]));
  return { ...resposta, urls };
}

function motorDaConexao() {
  try {
    return require('./room-connection.cjs');
  } catch (problem) {
    if (problem.code !== 'MODULE_NOT_FOUND') throw problem;
    throw new ErroSvc(
      'NAO_CONSTRUIDO',
      'salas.entrar: falta lib/room-connection.cjs; quem usa o código-fonte o faz com node setup/build.ts',
    );
  }
}

/** The connection, at once (rules 2.4, 3.4). Throws ErroSvc without the portal's credential, TypeError for wrong options. */
function entrar(sala, opcoes) {
  if (typeof sala !== 'string' || typeof opcoes?.Y?.applyUpdate !== 'function') throw new TypeError('salas.entrar espera (id, { Y })');
  portal.recusar('salas', 'entrar');
  const { enterFromBackend } = motorDaConexao();
  return enterFromBackend(opcoes, {
    ticket: () => bilhete(sala),
    portal: origemWs(),
    // An error of the app's listener is thrown in the app's context.
    say: (problema) =>
      queueMicrotask(() => {
        throw problema;
      }),
  });
}

/** Keeps bytes with the room: { sha, tamanho, tipo }. */
const anexar = (sala, bytes, tipo) => json('anexar', 'PUT', [sala, 'anexos'], { bytes, tipo, esperaMs: ANEXO_ESPERA_MS });
/** { bytes, tipo }. */
const anexo = (sala, sha) => chamar('anexo', 'GET', [sala, 'anexos', sha], { esperaMs: ANEXO_ESPERA_MS });

/** { bytes, tipo }. */
async function versao(sala, numero, formato) {
  portal.recusar('salas', 'versao');
  const consulta = new URLSearchParams({ formato }).toString();
  const caminho = `${caminhoDe(sala, 'historico', numero)}?${consulta}`;
  return await portal.chamar('salas.versao', 'GET', caminho, { esperaMs: ANEXO_ESPERA_MS });
}

module.exports = {
  disponivel,
  bilhete,
  entrar,
  listar: () => json('listar', 'GET', []),
  ler: (sala) => json('ler', 'GET', [sala]),
  criar: (nome) => json('criar', 'POST', [], { json: { nome } }),
  renomear: (sala, nome) => semResposta('renomear', 'PATCH', [sala], { json: { nome } }),
  apagar: (sala) => semResposta('apagar', 'DELETE', [sala]),
  darAcesso: (sala, usuario, papel) => semResposta('darAcesso', 'PUT', [sala, 'pessoas', usuario], { json: { papel } }),
  darAcessoAoGrupo: (sala, grupo, papel) => semResposta('darAcessoAoGrupo', 'PUT', [sala, 'grupos', grupo], { json: { papel } }),
  tirarAcesso: (sala, usuario) => semResposta('tirarAcesso', 'DELETE', [sala, 'pessoas', usuario]),
  tirarAcessoDoGrupo: (sala, grupo) => semResposta('tirarAcessoDoGrupo', 'DELETE', [sala, 'grupos', grupo]),
  avisar: (sala, tipo, para, ancora) => semResposta('avisar', 'POST', [sala, 'avisos'], { json: { tipo, para, ancora } }),
  anexar,
  anexo,
  historico: (sala) => json('historico', 'GET', [sala, 'historico']),
  versao,
  trazerDeVolta: (sala, numero) => semResposta('trazerDeVolta', 'POST', [sala, 'historico', numero, 'volta'], { json: {} }),
  nomearVersao: (sala, numero, nome) => semResposta('nomearVersao', 'PUT', [sala, 'historico', numero], { json: { nome } }),
};
