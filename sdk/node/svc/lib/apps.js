'use strict';
/**
 * Capabilities of other apps (rules 2.1 `requires`, `usa`; 4.3): this backend asks them through the portal, with the consent of its person.
 */
const { ErroSvc } = require('./erros.js');
const { cabecalhos } = require('./pessoa.js');
const portal = require('./portal.js');

const CAPACIDADE = /^[a-z][a-z0-9-]*\/v[0-9]+$/;
/** A browser's URL would take these for steps, and the credential would go to another route of the portal. */
const PASSO = /^(?:\.|%2e){1,2}$/i;

const disponivel = () => portal.disponivel('capacidades');

function endereco(capacidade, caminho) {
  if (!CAPACIDADE.test(capacidade)) throw new TypeError(`apps: capacidade inválida: ${capacidade}`);
  const [lugar] = caminho.split(/[?#]/, 1);
  if ((caminho !== '' && !caminho.startsWith('/')) || lugar.includes('\\') || lugar.split('/').some((parte) => PASSO.test(parte))) {
    throw new TypeError(`apps.pedir: o caminho começa com / e não tem . nem ..: ${caminho}`);
  }
  return portal.endereco(`/api/capacidades/${capacidade}${caminho}`);
}

async function buscar(what, url, { headers, signal, ...init }) {
  const enviados = new Headers(headers);
  for (const [nome, valor] of Object.entries(cabecalhos())) enviados.set(nome, valor);
  try {
    return await fetch(url, { ...init, headers: enviados, signal });
  } catch (problem) {
    if (signal?.aborted || problem?.cause === undefined) throw problem;
    throw new ErroSvc('SEM_REDE', `${what}: ${problem.cause.message ?? problem.message}`);
  }
}

/** Whether the portal says that no app offers the capability, which is an answer of `pedir`. Source: rules 2.1 `usa`, 7. */
async function semFornecedor(resposta) {
  if (resposta.status !== 404) return false;
  const problema = await resposta
    .clone()
    .json()
    .catch(() => null);
  return problema?.code === 'CAPABILITY_UNKNOWN';
}

/**
 * As `fetch`: the provider's own answer, also 4xx and 5xx; bodies stream both ways. 404 with the code CAPABILITY_UNKNOWN: no app offers it. Rejects
 * ErroSvc with the portal's code and status for what the portal refused, such as CONSENT_NEEDED until the person said yes. `app` names the provider
 * where several offer it.
 */
async function pedir(capacidade, caminho, { app, method = 'GET', headers, body = null, signal } = {}) {
  const url = endereco(capacidade, caminho || '/');
  portal.recusar('capacidades', 'pedir');
  const enviados = new Headers(headers);
  if (app !== undefined) enviados.set('x-svc-fornecedor', app);
  const emFluxo = typeof body?.getReader === 'function' || typeof body?.[Symbol.asyncIterator] === 'function';
  const resposta = await buscar('apps.pedir', url, { method, headers: enviados, body, signal, ...(emFluxo ? { duplex: 'half' } : {}) });
  if (resposta.headers.has('x-svc-fornecedor') || (await semFornecedor(resposta))) return resposta;
  throw await portal.recusa(resposta, 'apps.pedir');
}

/** [{ app, nome, rotulo }], without starting any of them. */
async function listar(capacidade) {
  const url = endereco(capacidade, '');
  portal.recusar('capacidades', 'listar');
  const resposta = await buscar('apps.listar', url, { signal: AbortSignal.timeout(portal.ESPERA_MS) });
  if (!resposta.ok) throw await portal.recusa(resposta, 'apps.listar');
  return (await resposta.json()).ofertas;
}

module.exports = { disponivel, pedir, listar };
