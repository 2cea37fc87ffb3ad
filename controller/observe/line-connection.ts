/**
 * A conversation with a supervisor over any duplex stream: requests with deadlines, pushes, and a close with its reason. A line that is too
 * long or of an unexpected shape ends the conversation (SUPERVISOR_PROTOCOL), it is never skipped over.
 */
import type { Duplex } from 'node:stream';
import type { Clock } from '../../schema/clock.ts';
import { SvcError, type ErrorCode, errorKinds } from '../../schema/errors.ts';
import { limits as machineLimits } from '../../machines/limits.ts';
import { orders, type SupervisorRequest, type SupervisorPush, type SupervisorReplies } from '../../schema/supervisor-lines.ts';
import { readLines } from './line-reader.ts';
import { readReply, readSupervisorLine, type SupervisorLine } from './supervisor-lines.ts';

/** A request as callers write it: the connection numbers it. */
export type Ask<Op extends SupervisorRequest['op']> = Omit<Extract<SupervisorRequest, { readonly op: Op }>, 'id'> & { readonly op: Op };

export interface LineConnection {
  /** Rejects with the supervisor's own code when it refused, TIMEOUT, SUPERVISOR_PROTOCOL or SERVER_UNREACHABLE. */
  ask<Op extends SupervisorRequest['op']>(request: Ask<Op>): Promise<SupervisorReplies[Op]>;
  close(): void;
}

interface Waiting {
  readonly op: SupervisorRequest['op'];
  readonly resolve: (reply: never) => void;
  readonly reject: (error: Error) => void;
  readonly cancel: () => void;
}

export interface LineConnectionOptions {
  readonly stream: Duplex;
  readonly clock: Clock;
  /** Leadership term of this portal, for requests that change something; null: it has none. */
  readonly leader: number | null;
  /** Resolves as long as no other portal can lead; nothing that changes something is asked before. */
  readonly held?: (() => Promise<void>) | undefined;
  readonly onPush: (push: SupervisorPush) => void;
  /** Called once, by either side's close. */
  readonly onClose: (error: SvcError) => void;
}

export function openLineConnection(options: LineConnectionOptions): LineConnection {
  const { stream, clock, leader, held } = options;
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let closed: SvcError | null = null;

  const end = (error: SvcError): void => {
    if (closed) return;
    closed = error;
    stream.destroy();
    for (const one of waiting.values()) {
      one.cancel();
      one.reject(error);
    }
    waiting.clear();
    options.onClose(error);
  };
  const take = (line: SupervisorLine): void => {
    if (line.kind === 'push') {
      options.onPush(line.push);
      return;
    }
    const asked = waiting.get(line.id);
    // A reply after its deadline is dropped.
    if (!asked) return;
    // A reply of a wrong shape throws here and ends the line: who asked is then still among those that learn of it.
    const reply = line.kind === 'failure' ? null : readReply(asked.op, line.body);
    waiting.delete(line.id);
    asked.cancel();
    if (line.kind === 'failure') asked.reject(refusal(line.error));
    else asked.resolve(reply as never);
  };
  const unreachable = (why: string): SvcError => new SvcError('SERVER_UNREACHABLE', `the connection to the supervisor ended: ${why}`);
  readLines({
    stream,
    clock,
    onLine: (line) => {
      if (closed) return;
      try {
        take(readSupervisorLine(line));
      } catch (error) {
        end(error instanceof SvcError ? error : unreachable(String(error)));
      }
    },
    onTooLong: end,
  });
  stream.on('error', (error: Error) => end(unreachable(error.message)));
  stream.on('close', () => end(unreachable('closed')));
  stream.on('end', () => end(unreachable('closed by the supervisor')));

  return {
    ask: async (request) => {
      const isNumbered = orders[request.op].isNumbered;
      if (held !== undefined && isNumbered && request.op !== 'subscribe') await held();
      return await new Promise((resolve, reject) => {
        if (closed) {
          reject(closed);
          return;
        }
        lastId += 1;
        const id = lastId;
        const cancel = clock.at(clock.monotonicMs() + machineLimits.supervisorReplyMsMax, () => {
          waiting.delete(id);
          reject(
            new SvcError('TIMEOUT', `the supervisor did not answer ${request.op} within ${machineLimits.supervisorReplyMsMax / 1_000} s`),
          );
        });
        waiting.set(id, { op: request.op, resolve, reject, cancel });
        stream.write(`${JSON.stringify({ id, ...request, ...(leader !== null && isNumbered && { leader }) })}\n`);
      });
    },
    close: () => end(unreachable('closed by the portal')),
  };
}

/** The supervisor's error code when it is a known one; otherwise a protocol error. */
function refusal(error: { readonly code: string; readonly message: string }): SvcError {
  const code = Object.hasOwn(errorKinds, error.code) ? (error.code as ErrorCode) : 'SUPERVISOR_PROTOCOL';
  return new SvcError(code, error.message);
}
