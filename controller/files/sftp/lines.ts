/** Keeps a line per account, opened when it is needed, closed when nobody asks for a while, opened anew after a break. */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../schema/clock.ts';
import { SvcError } from '../../../schema/errors.ts';
import { isFault } from '../file-fault.ts';
import { limits } from '../limits.ts';
import { openSftp, type SftpClient, type WhyNoSftp } from './client.ts';
import { extensionsOfOurs, needed } from './extensions.ts';
import { readDescriptors } from './held.ts';

export interface Lines {
  readonly get: () => Promise<SftpClient>;
  readonly ask: SftpClient['ask'];
  readonly extended: SftpClient['extended'];
  readonly pieceBytes: () => number;
  /** The line stays while something is open on it. */
  readonly hold: () => () => void;
  /** For good. */
  readonly close: () => void;
}

const closedError = (): SvcError => new SvcError('CANCELLED', 'the line for files was closed');

export function createLines(openLine: () => Promise<Duplex>, clock: Clock, whyNoSftp: WhyNoSftp): Lines {
  let line: SftpClient | null = null;
  let opening: Promise<SftpClient> | null = null;
  let holders = 0;
  let isClosed = false;
  let pieceBytes: number = limits.filePieceBytesDefault;
  let cancelIdle = (): void => undefined;
  const armIdle = (): void => {
    cancelIdle();
    cancelIdle = clock.at(clock.monotonicMs() + limits.sftpIdleMs, () => {
      if (holders > 0 || (line?.waiting() ?? 0) > 0) return armIdle();
      line?.close();
      line = null;
    });
  };
  const open = async (): Promise<SftpClient> => {
    const made = await openSftp(await openLine(), clock, whyNoSftp);
    try {
      await prepare(made);
      // It was asked for before the end: left open it would keep this process alive.
      if (isClosed) throw closedError();
    } catch (error) {
      made.close();
      throw error;
    }
    line = made;
    pieceBytes = made.pieceBytes;
    armIdle();
    return made;
  };
  const get = async (): Promise<SftpClient> => {
    if (line?.isUp() === true) return line;
    if (isClosed) throw closedError();
    opening ??= open().finally(() => {
      opening = null;
    });
    return await opening;
  };
  return {
    get,
    ask: async (...request) => await (await get()).ask(...request),
    extended: async (...request) => await (await get()).extended(...request),
    pieceBytes: () => pieceBytes,
    hold: () => {
      holders += 1;
      return () => {
        holders -= 1;
        armIdle();
      };
    },
    close: () => {
      isClosed = true;
      cancelIdle();
      line?.close();
      line = null;
    },
  };
}

/** Throws for a server whose lines are of no use. */
async function prepare(line: SftpClient): Promise<void> {
  const lacking = needed.filter((name) => !line.extensions.has(name));
  if (lacking.length > 0) throw new SvcError('SFTP_OFF', `the server's SFTP lacks ${lacking.join(', ')}: OpenSSH 6.5 and later have them`);
  if (line.extensions.has(extensionsOfOurs.hold)) return;
  // Without /proc (ChrootDirectory) folders are reached by their paths.
  await readDescriptors(line).catch((error: unknown) => {
    if (!isFault(error)) throw error;
  });
}

/** Pins calls to a single line: after a break each call fails. The line stays until `release`. */
export function pinnedTo(lines: Lines, line: SftpClient): Lines & { readonly release: () => void } {
  return {
    ...lines,
    get: async () => line,
    ask: (...request) => line.ask(...request),
    extended: (...request) => line.extended(...request),
    pieceBytes: () => line.pieceBytes,
    release: lines.hold(),
  };
}
