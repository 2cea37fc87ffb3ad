/** Counts the updates that each client of a room wrote and received, so that a lost or doubled update is seen. */
import { firstOf } from './rooms-company.ts';
import type { Member } from './rooms-member.ts';
import { packFrames, runOf, type PackedFrames } from './rooms-socket.ts';
import { syncMessage, syncUpdate, typedUpdates } from './rooms-wire.ts';

/** Ids of the order that Yjs draws: five bytes on the wire. */
export const clientBase = 3_000_000_000;
export const drainMsMax = 15_000;

export interface Writer {
  readonly client: number;
  readonly frames: PackedFrames;
  sent: number;
  readonly sentAtMs: Float64Array;
}

/** So many at once are held as objects: a burst writer has a million. */
const packedAtOnce = 20_000;

export function writerOf(index: number, count: number, prefix: Uint8Array): Writer {
  const client = clientBase + index;
  const ends = new Uint32Array(count);
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let from = 0; from < count; from += packedAtOnce) {
    const updates = typedUpdates(client, from, Math.min(packedAtOnce, count - from));
    const packed = packFrames(updates.map((update) => syncMessage(prefix, syncUpdate, update)));
    for (const [n, end] of packed.ends.entries()) ends[from + n] = bytes + end;
    bytes += packed.bytes.length;
    parts.push(packed.bytes);
  }
  return { client, frames: { bytes: Buffer.concat(parts), ends }, sent: 0, sentAtMs: new Float64Array(count) };
}

/** Updates that it has sent so far. */
export const sentUpdates = ({ client, sent }: Writer): readonly Uint8Array[] => typedUpdates(client, 0, sent);

/** Updates of each writer that each receiver has seen: `clocks[receiver * width + writer]`. */
export interface Seen {
  readonly clocks: Int32Array;
  readonly width: number;
  gaps: number;
}

export const seenBy = (width: number): Seen => ({ clocks: new Int32Array(width * width), width, gaps: 0 });

/** How many letters of that run are new to the receiver. */
export function take(seen: Seen, receiver: number, writer: number, clock: number, length: number): number {
  const at = receiver * seen.width + writer;
  const before = seen.clocks[at]!;
  if (clock > before) seen.gaps += 1;
  const now = Math.max(before, clock + length);
  seen.clocks[at] = now;
  return now - before;
}

/** Which clients lack what of whom, of so many letters of each writer. */
export function lettersLacking(seen: Seen, writers: readonly Writer[]): readonly string[] {
  const lacking = writers.flatMap((_, receiver) => {
    const of = writers.flatMap(({ sent }, writer) => {
      const lacks = receiver === writer ? 0 : sent - seen.clocks[receiver * seen.width + writer]!;
      return lacks > 0 ? [`${lacks} letters of client ${writer}`] : [];
    });
    return of.length > 0 ? [`client ${receiver} lacks ${firstOf(of, 3)}`] : [];
  });
  const gaps = seen.gaps > 0 ? [`${seen.gaps} letters came before one that they follow`] : [];
  return [...gaps, ...(lacking.length > 0 ? [firstOf(lacking, 3)] : [])];
}

export function send(member: Member, writer: Writer, count: number): void {
  const atMs = performance.now();
  writer.sentAtMs.fill(atMs, writer.sent, writer.sent + count);
  member.socket.write(runOf(writer.frames, writer.sent, writer.sent + count));
  writer.sent += count;
}
