'use strict';
/**
 * The token gate: every request carries `X-Svc-App-Token` equal to SVC_APP_TOKEN. Source: rules 5.
 *
 * Absent from the environment: everything passes (bench). Set but empty: nothing passes (docs/decisions/0015). The token is
 * read once, so that an app that cleans its environment does not open the gate.
 */
const { createHash, timingSafeEqual } = require('node:crypto');

const HEADER = 'x-svc-app-token';
const letters = (name) => name.replaceAll(/[^a-z0-9]/g, '');
const LOOK_ALIKE = letters(HEADER);

/** Hash of bytes: the environment's are UTF-8, a header's come as latin1. */
const digest = (bytes) => createHash('sha256').update(bytes).digest();

const token = process.env.SVC_APP_TOKEN;
const expected = token === undefined ? null : digest(Buffer.from(token));

const isOpen = () => expected === null;

/** Exactly one header of that name with that value; a duplicate or a look-alike (X_Svc_App_Token) is refused. */
function admits(rawHeaders) {
  if (expected === null) return true;
  let given = null;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const lower = rawHeaders[at].toLowerCase();
    if (lower === HEADER) {
      if (given !== null) return false;
      given = rawHeaders[at + 1];
    } else if (letters(lower) === LOOK_ALIKE) {
      return false;
    }
  }
  return given !== null && token !== '' && timingSafeEqual(digest(Buffer.from(given, 'latin1')), expected);
}

module.exports = { isOpen, admits };
