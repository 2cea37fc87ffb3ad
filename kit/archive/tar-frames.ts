/**
 * The form that all tars share: header blocks of 512 bytes, content filled up to whole blocks, empty blocks at the end. From chunks of any size,
 * synchronously and in order. `TarRules` give headers their meaning: those of packages in tar-reader.ts, those of people's archives in any-tar.ts.
 * Holds one block, and one extension header of at most `heldBytesMax`.
 */
export const blockBytes = 512;

/** The bytes after a header block. `held`: an extension header, whose bytes are collected. */
export interface Announced {
  readonly kind: 'content' | 'held';
  readonly bytes: number;
}

export interface TarRules {
  readonly header: (block: Buffer) => Announced;
  readonly held: (bytes: Buffer) => void;
  readonly data: (part: Buffer) => void;
  /** After the last byte of a content, also of an empty one. */
  readonly endContent: () => void;
  /** Bytes between a content and the next block. */
  readonly padding: (part: Buffer) => void;
  /** True: the archive ends with this block. */
  readonly emptyBlock: () => boolean;
  /** Bytes behind the end. `bytes`: of all of them so far. */
  readonly tail: (part: Buffer, bytes: number) => void;
  /** Throws for an extension header that is too large. */
  readonly tooLong: () => never;
  readonly heldBytesMax: number;
}

export interface TarFrames {
  readonly push: (chunk: Buffer) => void;
  /** `block`: between two entries; `part`: within one; `end`: behind the last block, and at the end of one. */
  readonly place: () => 'block' | 'part' | 'end';
}

interface Part {
  readonly kind: 'content' | 'padding' | 'held';
  readonly left: number;
}
type Mode = { readonly kind: 'block' } | { readonly kind: 'tail' } | Part;

export function tarFrames(rules: TarRules): TarFrames {
  const states = entryStates(rules);
  const partial = Buffer.alloc(blockBytes);
  let filled = 0;
  let mode: Mode = { kind: 'block' };
  let tailBytes = 0;

  const push = (chunk: Buffer): void => {
    for (let at = 0; at < chunk.length;) {
      const rest = chunk.length - at;
      let taken: number;
      if (mode.kind === 'tail') {
        taken = rest;
        tailBytes += rest;
        rules.tail(chunk.subarray(at), tailBytes);
      } else if (mode.kind !== 'block') {
        taken = Math.min(mode.left, rest);
        mode = states.takePart(chunk.subarray(at, at + taken), mode);
      } else if (filled === 0 && rest >= blockBytes) {
        taken = blockBytes;
        mode = states.takeBlock(chunk.subarray(at, at + taken));
      } else {
        taken = Math.min(blockBytes - filled, rest);
        chunk.copy(partial, filled, at, at + taken);
        filled = (filled + taken) % blockBytes;
        if (filled === 0) mode = states.takeBlock(partial);
      }
      at += taken;
    }
  };
  const place = (): ReturnType<TarFrames['place']> => {
    if (mode.kind === 'tail' && tailBytes % blockBytes === 0) return 'end';
    return mode.kind === 'block' && filled === 0 ? 'block' : 'part';
  };
  return { push, place };
}

interface EntryStates {
  readonly takeBlock: (block: Buffer) => Mode;
  /** Some of what is left of an entry. */
  readonly takePart: (part: Buffer, current: Part) => Mode;
}

/** The step for a block, or for a part of an entry. */
function entryStates(rules: TarRules): EntryStates {
  let held: Buffer[] = [];
  let bytes = 0;

  const finish = (kind: 'content' | 'held'): Mode => {
    if (kind === 'content') rules.endContent();
    else {
      const whole = Buffer.concat(held);
      held = [];
      rules.held(whole);
    }
    return padded(bytes);
  };

  const takeBlock = (block: Buffer): Mode => {
    if (isZero(block)) return { kind: rules.emptyBlock() ? 'tail' : 'block' };
    const announced = rules.header(block);
    ({ bytes } = announced);
    if (announced.kind === 'held' && bytes > rules.heldBytesMax) rules.tooLong();
    return bytes === 0 ? finish(announced.kind) : { kind: announced.kind, left: bytes };
  };

  const takePart = (part: Buffer, { kind, left: before }: Part): Mode => {
    if (kind === 'content') rules.data(part);
    else if (kind === 'held') held.push(Buffer.from(part));
    else rules.padding(part);
    const left = before - part.length;
    if (left > 0) return { kind, left };
    return kind === 'padding' ? { kind: 'block' } : finish(kind);
  };
  return { takeBlock, takePart };
}

function padded(bytes: number): Mode {
  const left = (blockBytes - (bytes % blockBytes)) % blockBytes;
  return left === 0 ? { kind: 'block' } : { kind: 'padding', left };
}

const zeros = Buffer.alloc(64 * 1_024);

export function isZero(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += zeros.length) {
    const part = bytes.subarray(at, at + zeros.length);
    if (!part.equals(zeros.subarray(0, part.length))) return false;
  }
  return true;
}
