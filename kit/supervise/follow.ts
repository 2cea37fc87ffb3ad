/** Following a run.log over rotations and cuts: what is new is sent on, and a slow reader is waited for, never buffered. */
import { closeSync, fstatSync, readSync, statSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { heldBack, redact } from '../launch/run-log.ts';
import { hiddenValues } from './hidden.ts';
import type { App } from './app-state.ts';
import { openPlainFileSync } from '../../schema/plain-file.ts';

const chunkBytes = 64 * 1_024;
const pollMs = 250;

export interface Follower {
  readonly app: App;
  /** The file may have grown. */
  readonly poll: () => void;
  readonly end: () => void;
}

/** Bytes of a log as lines: sent whole, or after a second. */
function linesTo(app: App, send: (text: string) => boolean) {
  let rest = '';
  let restSinceMs = 0;
  /** The last text that was sent ended its line. */
  let isLineOver = true;
  let decoder = new StringDecoder('utf8');
  const flush = (all: boolean): void => {
    const hidden = hiddenValues(app);
    const cut = all ? rest.length - heldBack(rest, hidden) : rest.lastIndexOf('\n') + 1;
    if (cut > 0) {
      send(redact(rest.slice(0, cut), hidden));
      isLineOver = rest[cut - 1] === '\n';
      restSinceMs = performance.now();
    }
    rest = rest.slice(cut);
  };
  return {
    add: (bytes: Buffer): void => {
      // Not anew by what comes after: a line that grows would never be late.
      if (rest === '') restSinceMs = performance.now();
      rest += decoder.write(bytes);
      flush(rest.length >= chunkBytes);
    },
    /** An unfinished line has waited for its end for a second. */
    isLate: (): boolean => rest !== '' && performance.now() - restSinceMs > 1_000,
    flush: (): void => flush(true),
    /** The next bytes do not continue the unfinished line: the log was truncated, or is another file. */
    endLine: (): void => {
      decoder = new StringDecoder('utf8');
      if (rest !== '') flush(true);
      // The beginning of a hidden value, whose rest does not come.
      rest = '';
      if (!isLineOver) send('\n');
      isLineOver = true;
    },
  };
}

/** `send` answers false when the reader is full; `look` after it has drained goes on. */
export function follow(app: App, send: (text: string) => boolean, isFull: () => boolean): Follower {
  let fd: number | null = null;
  let inode = 0;
  let at = 0;
  const lines = linesTo(app, send);
  const buffer = Buffer.alloc(chunkBytes);

  const open = (fromEnd: boolean): void => {
    try {
      const opened = openPlainFileSync(app.paths.runLog);
      fd = opened.fd;
      inode = opened.stats.ino;
      at = fromEnd ? opened.stats.size : 0;
    } catch {
      fd = null;
    }
  };
  const drain = (): void => {
    if (fd === null) return;
    const file = fd;
    while (!isFull()) {
      if (fstatSync(file).size < at) {
        lines.endLine();
        at = 0;
      }
      const got = readSync(file, buffer, 0, chunkBytes, at);
      if (got === 0) break;
      at += got;
      lines.add(buffer.subarray(0, got));
    }
    if (lines.isLate() && !isFull()) lines.flush();
  };
  const poll = (): void => {
    if (fd === null) open(false);
    drain();
    // Another file under the name: the old one was read to its end above.
    const now = statSync(app.paths.runLog, { throwIfNoEntry: false });
    if (fd !== null && !isFull() && now !== undefined && now.ino !== inode) {
      lines.endLine();
      closeSync(fd);
      open(false);
      drain();
    }
  };
  open(true);
  const timer = setInterval(poll, pollMs);
  timer.unref();
  return {
    app,
    poll,
    end: () => {
      clearInterval(timer);
      if (fd !== null) closeSync(fd);
      fd = null;
    },
  };
}
