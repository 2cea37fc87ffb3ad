'use strict';
/**
 * Shared by `apps`, `fila`, `metricas` and `salas`: the portal's address and credential of this process (rules 2.6, 5), and one call to it.
 */
const { ErroSvc } = require('./erros.js');
const { cabecalhos } = require('./pessoa.js');

const ESPERA_MS = 20_000;

/** Scopes of the credential; null when the portal that started us does not report them. The cases: docs/app-authors.md. */
function escopos() {
  const texto = process.env.SVC_PORTAL_SCOPES;
  return texto === undefined ? null : texto.split(',').filter(Boolean);
}

/**
 * Below the portal's address, which is asked without a proxy: Node obeys the proxy variables when NODE_USE_ENV_PROXY says so, and reads
 * `no_proxy` at each request.
 */
function endereco(caminho) {
  const url = new URL(caminho, process.env.SVC_PORTAL_URL);
  if (['http_proxy', 'HTTP_PROXY', 'https_proxy', 'HTTPS_PROXY'].some((name) => process.env[name])) {
    const sem = (process.env.no_proxy ?? process.env.NO_PROXY ?? '').split(/[\s,]+/).filter(Boolean);
    if (!sem.includes(url.host)) process.env.no_proxy = [...sem, url.host].join(',');
  }
  return url;
}

const declaracao = (recurso) => (recurso === 'capacidades' ? 'requires ou usa' : `recursos.${recurso}`);

/** { disponivel, motivo, codigo }: the last two are null only when it is available. */
function disponivel(recurso) {
  const missing = ['SVC_PORTAL_URL', 'SVC_PORTAL_TOKEN'].filter((name) => !process.env[name]);
  if (missing.length > 0) {
    const motivo = `falta ${missing.join(' e ')}: o manifesto declara ${declaracao(recurso)}, e o app foi iniciado pelo portal?`;
    return { disponivel: false, motivo, codigo: 'SEM_CREDENCIAL' };
  }
  const concedidos = escopos();
  if (concedidos !== null && !concedidos.includes(recurso)) {
    const motivo = `o manifesto não declara ${declaracao(recurso)}: a credencial vale só para ${concedidos.join(', ') || 'nada'}`;
    return { disponivel: false, motivo, codigo: 'SEM_ESCOPO' };
  }
  return { disponivel: true, motivo: null, codigo: null };
}

/** A verb that can't be done says so; it never pretends. */
function recusar(recurso, verbo) {
  const estado = disponivel(recurso);
  if (!estado.disponivel) throw new ErroSvc(estado.codigo, `${recurso}.${verbo}: ${estado.motivo}`);
}

/** The portal's own refusal, with its code, HTTP status and how long it asks to wait. */
async function recusa(response, what) {
  const problem = await response.json().catch(() => ({}));
  const codigo = typeof problem?.code === 'string' ? problem.code : `HTTP_${response.status}`;
  const palavras = typeof problem?.error === 'string' ? problem.error : response.statusText;
  const { retryAfterMs } = problem ?? {};
  return Object.assign(new ErroSvc(codigo, `${what}: ${palavras}`), {
    status: response.status,
    ...(typeof retryAfterMs === 'number' ? { retryAfterMs } : {}),
  });
}

/**
 * Sends a request to the portal in the name of this app and its person; 304 is an answer. Rejects ErroSvc: the portal's code, SEM_REDE, or
 * SEM_RESPOSTA after `esperaMs`. A redirect is not followed: the credential goes to the portal only.
 */
async function pedir(what, metodo, caminho, { json, bytes, tipo, cabecalhos: outros = {}, esperaMs = ESPERA_MS, signal } = {}) {
  const headers = { ...outros, ...cabecalhos() };
  if (json !== undefined) headers['content-type'] = 'application/json';
  if (bytes !== undefined) headers['content-type'] = tipo ?? 'application/octet-stream';
  const body = json === undefined ? bytes : JSON.stringify(json);
  const late = AbortSignal.timeout(esperaMs);
  try {
    const url = endereco(caminho);
    const either = signal === undefined ? late : AbortSignal.any([late, signal]);
    const response = await fetch(url, { method: metodo, headers, body, signal: either, redirect: 'error' });
    if (!response.ok && response.status !== 304) throw await recusa(response, what);
    return { status: response.status, cabecalhos: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
  } catch (problem) {
    if (problem instanceof ErroSvc) throw problem;
    if (signal?.aborted) throw signal.reason;
    if (late.aborted) throw new ErroSvc('SEM_RESPOSTA', `${what}: o portal não respondeu em ${esperaMs / 1_000} s`);
    throw new ErroSvc('SEM_REDE', `${what}: ${problem?.cause?.message ?? problem?.message ?? problem}`);
  }
}

/** As `pedir`, for an answer of which only the content counts. */
async function chamar(...pedido) {
  const { bytes, cabecalhos } = await pedir(...pedido);
  return { bytes, tipo: cabecalhos.get('content-type') ?? '' };
}

module.exports = { ESPERA_MS, disponivel, endereco, escopos, recusa, recusar, pedir, chamar };
