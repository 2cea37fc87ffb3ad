'use strict';
/** What `fila`, `metricas` and `salas` share: whether the portal gave this process its address and credential. Source: spec 2.6. */
const { ErroSvc } = require('./erros.js');

/** { disponivel, motivo, codigo }; `motivo` is null only when it is available. */
function disponivel(recurso) {
  const missing = ['SVC_PORTAL_URL', 'SVC_PORTAL_TOKEN'].filter((name) => !process.env[name]);
  if (missing.length > 0) {
    const motivo = `falta ${missing.join(' e ')}: o manifesto declara recursos.${recurso}?`;
    return { disponivel: false, motivo, codigo: 'SEM_CREDENCIAL' };
  }
  return { disponivel: false, motivo: `esta versão do runtime ainda não tem ${recurso}`, codigo: 'NAO_CONSTRUIDO' };
}

/** A verb that can't be done says so; it never pretends. */
function recusar(recurso, verbo) {
  const estado = disponivel(recurso);
  throw new ErroSvc(estado.codigo, `${recurso}.${verbo}: ${estado.motivo}`);
}

/** Verbs that reject, as asynchronous as the real ones will be. */
const recusados = (recurso, verbos) => Object.fromEntries(verbos.map((verbo) => [verbo, async () => recusar(recurso, verbo)]));

module.exports = { disponivel, recusar, recusados };
