/**
 * A validator as we made it: a front that compresses makes it weak (nginx, by RFC 9110), or puts the coding at its end (Apache, Jetty). It stands
 * for the same content.
 */
export const plainEtag = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/[-;](?:gzip|br|zstd|deflate)"$/, '"');

/** The validator of what is sent in this coding: plainEtag gives back the one of the state. */
export const encodedEtag = (etag: string, coding: string): string => etag.replace(/"$/, `-${coding}"`);

/**
 * Whether a list of validators (If-Match, If-None-Match) names this one, which has its quotes and is strong. `weak` takes what became of it on the
 * way for it, as If-None-Match does: for conditions of a change, too, where the validator stands for a state and not for bytes of an answer.
 * Source: RFC 9110, 8.8.3.2, 13.1.
 */
export function listsEtag(header: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  return header.split(',').some((each) => {
    const tag = each.trim();
    return tag === '*' || tag === etag || (comparison === 'weak' && plainEtag(tag) === etag);
  });
}

/** Whether the client has it already: 304. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch !== undefined && listsEtag(ifNoneMatch, etag, 'weak');
}
