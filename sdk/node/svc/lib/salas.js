'use strict';
/** Shared rooms (spec 2.1 `recursos.salas`, 2.4). This version says why they aren't there; the verbs come with the rooms. */
const { disponivel, recusados } = require('./portal.js');

module.exports = { disponivel: () => disponivel('salas'), ...recusados('salas', ['bilhete']) };
