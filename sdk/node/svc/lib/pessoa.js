'use strict';
/**
 * The person for whom a backend of `escopo: servidor` asks the portal (rules 5): it serves everybody, so it names the request it works on.
 */
const { AsyncLocalStorage } = require('node:async_hooks');

const MANDATO = 'x-svc-em-nome';
const pessoa = new AsyncLocalStorage();

/**
 * Makes the portal calls inside `fazer` for the person whose request this is. The portal wrote a mandate into that request, which is good
 * for some minutes after it and ends when the person signs out. The backend of one person needs none: there it changes nothing.
 */
function emNomeDe(req, fazer) {
  const mandato = req.headers[MANDATO];
  return pessoa.run(typeof mandato === 'string' ? mandato : null, fazer);
}

/** The credential, and for whom it speaks. */
function cabecalhos() {
  const mandato = pessoa.getStore();
  return { authorization: `Bearer ${process.env.SVC_PORTAL_TOKEN}`, ...(mandato ? { [MANDATO]: mandato } : {}) };
}

module.exports = { cabecalhos, emNomeDe };
