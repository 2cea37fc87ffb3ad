/** Bytes that a page passed, as a Blob: it crosses the port without being copied. */
export function asBlob(verb: string, bytes: unknown, tipo?: unknown): Blob {
  const type = typeof tipo === 'string' ? { type: tipo } : {};
  if (bytes instanceof Blob) return typeof tipo === 'string' ? new Blob([bytes], type) : bytes;
  if (bytes instanceof ArrayBuffer || ArrayBuffer.isView(bytes)) return new Blob([bytes as Uint8Array<ArrayBuffer>], type);
  throw new TypeError(`${verb} espera um Blob, um ArrayBuffer ou uma vista dele`);
}
