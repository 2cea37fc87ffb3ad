/**
 * Lines of a stream whose other end is anyone's: they are read in turns, so that a sender that never ends, be it with empty lines, waits
 * and nobody else does. Unread lines stay in the sender's socket. Decision: docs/decisions/0391-turns-of-a-supervisor.md
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { limits } from '../limits.ts';

export interface LineReaderOptions {
  readonly stream: Duplex;
  readonly clock: Clock;
  readonly onLine: (line: string) => void;
  /** Called once; nothing is read after it. */
  readonly onTooLong: (error: SvcError) => void;
}

const newline = 10;
const nothing = Buffer.alloc(0);

export function readLines(options: LineReaderOptions): void {
  const { stream, clock } = options;
  const turn = createTurn(clock);
  const take = createTaker(options, turn);
  let cancel: (() => void) | null = null;
  let rest: Buffer = nothing;
  const work = (): void => {
    cancel = null;
    turn.begin();
    rest = rest.subarray(take(rest));
    if (rest.length === 0) {
      stream.resume();
      return;
    }
    stream.pause();
    cancel = clock.at(turn.overAtMs(), work);
  };
  stream.on('data', (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (cancel === null) work();
  });
  stream.on('close', () => {
    cancel?.();
    rest = nothing;
  });
}

interface Turn {
  begin(): void;
  /** A line was dealt with; false when the turn is over. */
  spend(): boolean;
  /** When everything is paid back. */
  overAtMs(): number;
}

/** The cost of a line is a debt, paid back with `supervisorLoopShare` of the time that passes. Source: ITU-T I.371, virtual scheduling. */
function createTurn(clock: Clock): Turn {
  let lastMs = clock.monotonicMs();
  let owedMs = 0;
  const passed = (): number => {
    const nowMs = clock.monotonicMs();
    const ms = nowMs - lastMs;
    lastMs = nowMs;
    return ms;
  };
  return {
    begin: () => {
      owedMs = Math.max(0, owedMs - passed() * limits.supervisorLoopShare);
    },
    spend: () => {
      owedMs += passed() + limits.supervisorLineMs;
      return owedMs < limits.supervisorTurnMs;
    },
    overAtMs: () => lastMs + owedMs / limits.supervisorLoopShare,
  };
}

/** Answers how many bytes were dealt with: all of them, unless the turn is over. */
function createTaker({ onLine, onTooLong }: LineReaderOptions, turn: Turn): (chunk: Buffer) => number {
  let parts: Buffer[] = [];
  let held = 0;
  const { supervisorLineBytesMax: bytesMax } = sharedLimits;
  return (chunk) => {
    let from = 0;
    while (held <= bytesMax) {
      const at = chunk.indexOf(newline, from);
      held += (at < 0 ? chunk.length : at) - from;
      if (held > bytesMax) onTooLong(new SvcError('SUPERVISOR_PROTOCOL', `a line of the supervisor is longer than ${bytesMax} bytes`));
      else if (at < 0) {
        parts.push(chunk.subarray(from));
        break;
      } else {
        if (held > 0) onLine(Buffer.concat([...parts, chunk.subarray(from, at)]).toString('utf8'));
        [parts, held, from] = [[], 0, at + 1];
        if (!turn.spend()) return from;
      }
    }
    return chunk.length;
  };
}
