/**
 * The log of a portal that is a service: lines of one turn of the event loop leave in one write, since each write stops the loop for as long as
 * answering a small request takes. Warnings and worse leave at once, with what came before. Decision: docs/decisions/0265-lines-of-one-turn.md
 */
import type { DestinationStream } from 'pino';

export interface TurnLog extends DestinationStream {
  /** Set by pino before each write. */
  lastLevel: number;
  /** Writes what waits. Called at the end of the process, too. */
  readonly flushSync: () => void;
}

/** pino says the level of each line to a stream with this. */
const wantsLevel = Symbol.for('pino.metadata');
const warn = 40;
const waitingCharsMax = 16_384;

export function createTurnLog(to: DestinationStream, atTurnEnd: (fn: () => void) => void = setImmediate): TurnLog {
  let waiting = '';
  const log: TurnLog = {
    lastLevel: 0,
    write: (line) => {
      if (waiting === '') atTurnEnd(log.flushSync);
      waiting += line;
      if (log.lastLevel >= warn || waiting.length >= waitingCharsMax) log.flushSync();
    },
    flushSync: () => {
      const lines = waiting;
      waiting = '';
      if (lines !== '') to.write(lines);
    },
  };
  return Object.assign(log, { [wantsLevel]: true });
}
