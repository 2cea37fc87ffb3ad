'use strict';
/** Request bodies with a limit. Source: limits of the same name in sdk/python/svc/servidor.py. */

const BODY_BYTES_MAX = 1024 * 1024;

/** Thrown out of a handler: the gate answers with `status`. */
class Recusado extends Error {
  constructor(status, message) {
    super(message);
    this.name = 'Recusado';
    this.status = status;
  }
}

/** The whole body; one above `limite` bytes is answered with 413. */
async function lerCorpo(req, limite = BODY_BYTES_MAX) {
  const parts = [];
  let size = 0;
  for await (const part of req) {
    size += part.length;
    if (size > limite) throw new Recusado(413, `o corpo passa de ${limite} bytes`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** The body as JSON; anything else is answered with 400. */
async function lerJson(req, limite) {
  const body = await lerCorpo(req, limite);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new Recusado(400, 'o corpo não é JSON');
  }
}

module.exports = { lerCorpo, lerJson, Recusado };
