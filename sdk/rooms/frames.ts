/**
 * The y-websocket protocol as bytes: a message is varuint kind, then for sync a varuint step, then a length and that many bytes. Written here
 * so that no SDK carries a copy of yjs or y-protocols: the app's own does the rest.
 */

export type Frame =
  /** "This is what I have": answered with what is missing there. */
  | { readonly kind: 'have'; readonly stateVector: Uint8Array }
  /** The answer to our own "this is what I have". */
  | { readonly kind: 'missing'; readonly update: Uint8Array }
  | { readonly kind: 'update'; readonly update: Uint8Array }
  | { readonly kind: 'presence'; readonly update: Uint8Array }
  | { readonly kind: 'ask-presence' };

const sync = 0;
const presence = 1;
const askPresence = 3;

export const writeHave = (stateVector: Uint8Array): Uint8Array<ArrayBuffer> => write([sync, 0], stateVector);
export const writeMissing = (update: Uint8Array): Uint8Array<ArrayBuffer> => write([sync, 1], update);
export const writeUpdate = (update: Uint8Array): Uint8Array<ArrayBuffer> => write([sync, 2], update);
export const writePresence = (update: Uint8Array): Uint8Array<ArrayBuffer> => write([presence], update);

/** Null for what is none of these: kinds that a newer portal may send are passed over. */
export function readFrame(bytes: Uint8Array): Frame | null {
  const kind = readLength(bytes, 0);
  if (kind === null) return null;
  if (kind.value === askPresence) return { kind: 'ask-presence' };
  if (kind.value === presence) {
    const update = readBytes(bytes, kind.next);
    return update === null ? null : { kind: 'presence', update };
  }
  const step = kind.value === sync ? readLength(bytes, kind.next) : null;
  const body = step === null ? null : readBytes(bytes, step.next);
  if (step === null || body === null) return null;
  if (step.value === 0) return { kind: 'have', stateVector: body };
  if (step.value === 1) return { kind: 'missing', update: body };
  return step.value === 2 ? { kind: 'update', update: body } : null;
}

/** Whether an update (V1) brings anything but deletions: it begins with the number of clients that it has structs of. */
export const bringsStructs = (update: Uint8Array): boolean => (readLength(update, 0)?.value ?? 0) > 0;

function write(head: readonly number[], body: Uint8Array): Uint8Array<ArrayBuffer> {
  const length: number[] = [];
  let rest = body.length;
  while (rest > 127) {
    length.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  length.push(rest);
  const frame = new Uint8Array(head.length + length.length + body.length);
  frame.set(head);
  frame.set(length, head.length);
  frame.set(body, head.length + length.length);
  return frame;
}

interface Read {
  readonly value: number;
  readonly next: number;
}

function readLength(bytes: Uint8Array, from: number): Read | null {
  let value = 0;
  let factor = 1;
  for (let at = from; at < bytes.length && at < from + 5; at++) {
    const byte = bytes[at] ?? 0;
    value += (byte % 128) * factor;
    if (byte < 128) return { value, next: at + 1 };
    factor *= 128;
  }
  return null;
}

function readBytes(bytes: Uint8Array, from: number): Uint8Array | null {
  const length = readLength(bytes, from);
  if (length === null || length.next + length.value > bytes.length) return null;
  return bytes.subarray(length.next, length.next + length.value);
}
