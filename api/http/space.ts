/**
 * Optional white space of HTTP: spaces and tabs (RFC 9110 5.6.3), nothing else. `String.trim` also removes U+00A0, U+000B and more; a header is
 * read as Latin-1, so a byte 0xA0 before `__Host-svc` would make a cookie that any app may set look like ours.
 */
export function trimSpace(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && isSpace(text.charCodeAt(from))) from += 1;
  while (to > from && isSpace(text.charCodeAt(to - 1))) to -= 1;
  return from === 0 && to === text.length ? text : text.slice(from, to);
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
