'use strict';
/** The processing queue (spec 2.1 `recursos.fila`). This version says why it isn't there; the verbs come with the queue. */
const { disponivel, recusados } = require('./portal.js');

module.exports = { disponivel: () => disponivel('fila'), ...recusados('fila', ['submeter', 'acompanhar', 'baixar', 'cancelar']) };
