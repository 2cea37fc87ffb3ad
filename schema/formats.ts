/** Checks behind the `format` keywords of the schemas. */

/** RFC 3986: what may stand after the scheme (brackets around an IPv6 host only), then one fragment. */
const uri =
  /^[a-z][a-z0-9+.-]*:(?=.)(?:\/\/(?:[!$&'()*+,\-.0-9:;=A-Z_a-z~]*@)?\[[0-9a-f:.]+\])?(?:[!$&'()*+,\-./0-9:;=?@_a-z~]|%[0-9a-f]{2})*(?:#(?:[!$&'()*+,\-./0-9:;=?@_a-z~]|%[0-9a-f]{2})*)?$/i;

/** An address with a scheme that a page may link to: the shop shows these. Decision: docs/decisions/0010-what-the-validator-refuses.md */
function isUri(text: string): boolean {
  // Source: RFC 9110, 4.2: http and https have a host (browsers would take `https:////x` for `https://x`) and no user name, which would
  // show the name of one host and lead to another.
  return uri.test(text) && !/^((javascript|data|vbscript|file|blob):|https?:(?!\/\/[^/?#@]+(?:[/?#]|$)))/i.test(text) && URL.canParse(text);
}

/** As ajv takes them; the compiled bundle of `svc validate` asks the very same. */
export const formats = { uri: { type: 'string', validate: isUri } } as const;
