/**
 * Whether a list of validators (If-Match, If-None-Match) names this one, which has its quotes and is strong. `weak` takes `W/"x"` for `"x"`, as
 * If-None-Match does. Source: RFC 9110, 8.8.3.2, 13.1.
 */
export function listsEtag(header: string, etag: string, comparison: 'strong' | 'weak'): boolean {
  return header.split(',').some((each) => {
    const tag = each.trim();
    return tag === '*' || (comparison === 'weak' ? tag.replace(/^W\//, '') : tag) === etag;
  });
}

/** Whether the client has it already: 304. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch !== undefined && listsEtag(ifNoneMatch, etag, 'weak');
}
