/** Reads answers, and finds out why one that only says "failure" may have failed. */
import { FileFault, isFault } from '../file-fault.ts';
import type { FileFacts } from '../file-system.ts';
import type { Reply } from './client.ts';
import { badPacket, lengthened, types, u32, type Fields } from './packets.ts';

/** A path as a server reads it. OpenSSH ends it at a NUL byte and would answer for the folder that the name is in. */
export function pathField(path: Buffer): Buffer {
  if (path.includes(0)) throw new FileFault('EINVAL');
  return lengthened(path);
}

/** A time as the protocol carries it: whole seconds of 32 bits. `isWhole`: false where they can't hold it. */
export function modifiedField(ms: number): { readonly second: number; readonly seconds: Buffer; readonly isWhole: boolean } {
  const second = Math.floor(ms / 1_000);
  const seconds = u32(Math.max(0, Math.min(0xffffffff, second)));
  return { second, seconds, isWhole: seconds.readUInt32BE() === second };
}

/** OpenSSH says "failure" to much: `why` finds out more. It changes nothing, and a cause that it can't find stays "failure". */
export async function more<Result>(work: Promise<Result>, why: () => Promise<string | null>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!isFault(error, 'EFAIL')) throw error;
    const errno = await why().catch(() => null);
    throw errno === null ? error : new FileFault(errno, { cause: error });
  }
}

export function packetIn(reply: Reply, type: number): Fields {
  if (reply.kind !== 'packet' || reply.type !== type) throw badPacket('an answer of another type');
  return reply.fields;
}

export const attributesIn = (reply: Reply): FileFacts => packetIn(reply, types.attrs).attributes();

/** With its length, as it is sent. */
export function handleIn(reply: Reply): Buffer {
  const handle = packetIn(reply, types.handle).bytes();
  if (handle.length > 256) throw badPacket('a handle of more than 256 bytes');
  return lengthened(handle);
}

/** A path in the packet of names. */
export function nameIn(reply: Reply): Buffer {
  const fields = packetIn(reply, types.name);
  if (fields.u32() !== 1) throw badPacket('more or fewer than one name');
  return Buffer.from(fields.bytes());
}
