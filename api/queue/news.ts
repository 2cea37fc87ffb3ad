/** News of jobs: a held question for one is answered when it changed, and a person's pages get an event. */
import type { Bus } from '../../store/bus.ts';
import type { Clock } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from './limits.ts';

export interface JobNews {
  /** Resolves at the next change of the job, after `ms`, or when the signal fires. Rejects RATE_LIMITED. */
  next(usuario: string, id: string, ms: number, signal: AbortSignal): Promise<void>;
  close(): void;
}

export function createJobNews(bus: Bus, clock: Clock): JobNews {
  const waiting = new Map<string, Set<() => void>>();
  const holds = new Map<string, number>();
  const told = new Map<string, () => void>();
  const tell = (usuario: string): void => {
    // The last news of a burst is sent, late by at most this.
    if (usuario === '' || told.has(usuario)) return;
    told.set(
      usuario,
      clock.at(clock.monotonicMs() + limits.queueNewsMs, () => {
        told.delete(usuario);
        bus.publish(usuario, { type: 'trabalhos' });
      }),
    );
  };
  const off = bus.onJobChanged(({ id, usuario }) => {
    for (const wake of waiting.get(id) ?? []) wake();
    tell(usuario);
  });
  return {
    next: (usuario, id, ms, signal) => {
      if (signal.aborted) return Promise.resolve();
      const held = holds.get(usuario) ?? 0;
      if (held >= limits.jobHoldsPerPersonMax) throw new SvcError('RATE_LIMITED', 'too many questions are held', { retryAfterMs: 1_000 });
      holds.set(usuario, held + 1);
      return new Promise((resolve) => {
        const mine = waiting.get(id) ?? new Set();
        waiting.set(id, mine);
        const wake = (): void => {
          cancel();
          signal.removeEventListener('abort', wake);
          if (mine.delete(wake) && mine.size === 0) waiting.delete(id);
          const left = (holds.get(usuario) ?? 1) - 1;
          if (left === 0) holds.delete(usuario);
          else holds.set(usuario, left);
          resolve();
        };
        mine.add(wake);
        signal.addEventListener('abort', wake);
        const cancel = clock.at(clock.monotonicMs() + ms, wake);
      });
    },
    close: () => {
      off();
      for (const cancel of told.values()) cancel();
      for (const wakes of waiting.values()) for (const wake of wakes) wake();
    },
  };
}
