/**
 * Reads the answers of a provider, whole and bounded: metadata, keys, tokens and userinfo.
 * Decision: docs/decisions/0374-what-a-provider-may-answer.md
 */
import type { CustomFetch } from 'openid-client';
import { limits } from './limits.ts';

/** As a code in `OIDC_REFUSED` and `OIDC_UNREACHABLE`, beside those of openid-client. */
export const tooLarge = 'ANSWER_TOO_LARGE';

/** Rejects an error with the code `tooLarge`; the connection of an answer that is not read to its end is closed. */
export const fetchBounded: CustomFetch = async (url, options) => {
  const answer = await fetch(url, options as RequestInit);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of answer.body ?? []) {
    bytes += piece.length;
    if (bytes > limits.oidcAnswerBytesMax) throw Object.assign(new Error('the answer is too large'), { code: tooLarge });
    pieces.push(piece);
  }
  const { status, statusText, headers } = answer;
  return new Response(answer.body === null ? null : Buffer.concat(pieces), { status, statusText, headers });
};
