/** A shell of a person on their server, as the controller hands it to the api. */
import type { Readable, Writable } from 'node:stream';

/** Size of the screen, in characters. */
export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** Neither code nor signal: the connection to the server broke off. */
export interface ShellEnd {
  readonly code: number | null;
  /** SIGHUP, … */
  readonly signal: string | null;
}

/** A login shell on a pty. Never rejects and never throws once it is there. */
export interface RemoteShell {
  /** The printed output, and the typed input. */
  readonly output: Readable;
  readonly input: Writable;
  resize(size: TerminalSize): void;
  /** Hangs up, as a closed terminal does (SIGHUP). */
  end(): void;
  /** After the last byte of `output`. */
  readonly ended: Promise<ShellEnd>;
  /** It is the portal's own account: for administrators only, as long as they are. */
  readonly asPortal?: true;
}

export const terminalColumnsMax = 500;
export const terminalRowsMax = 200;
