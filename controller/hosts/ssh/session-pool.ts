/**
 * Bounds the commands that run over one connection at once: sshd opens MaxSessions of them (10, often less), and refuses the next. The rest
 * wait in order. A refusal teaches the pool how many there may be; it never means that a server or an app is down.
 */
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../limits.ts';

export interface SessionPool {
  /** Resolves when it is this one's turn; rejects SSH_SATURATED when too many wait, CANCELLED when `signal` fires before. Each turn is given back once. */
  take(signal?: AbortSignal): Promise<void>;
  give(): void;
  /** The server refused a session: true when one of ours will end, and its place goes to the next caller. */
  refused(): boolean;
}

const cancelled = (): SvcError => new SvcError('CANCELLED', 'it was cancelled before its turn came');

export function createSessionPool(most: number = limits.sshSessionsPerConnectionMax): SessionPool {
  let allowed = most;
  let running = 0;
  const waiting: (() => void)[] = [];
  const next = (): void => {
    while (running < allowed && waiting.length > 0) {
      running += 1;
      waiting.shift()?.();
    }
  };
  return {
    take: (signal) => {
      if (signal?.aborted ?? false) return Promise.reject(cancelled());
      if (running < allowed && waiting.length === 0) {
        running += 1;
        return Promise.resolve();
      }
      if (waiting.length >= limits.sshSessionsWaitingMax) {
        return Promise.reject(new SvcError('SSH_SATURATED', `${waiting.length} commands wait for a session of this connection`));
      }
      return new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.splice(waiting.indexOf(begin), 1);
          reject(cancelled());
        };
        const begin = (): void => {
          signal?.removeEventListener('abort', leave);
          resolve();
        };
        signal?.addEventListener('abort', leave, { once: true });
        waiting.push(begin);
      });
    },
    give: () => {
      running -= 1;
      next();
    },
    refused: () => {
      if (running <= 1) return false;
      allowed = Math.max(1, Math.min(allowed, running - 1));
      return true;
    },
  };
}
