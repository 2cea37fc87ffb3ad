/** Bytes as base64url, which the wire has them in. */
export const toBase64url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

export const fromBase64url = (sent: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(sent.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
