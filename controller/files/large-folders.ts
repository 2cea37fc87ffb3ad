/**
 * Large folders are read one after the other for each person: twenty thousand entries take ten megabytes while they are put in order. Where several wait, the
 * next one waits as long as the one before took, so that what is left of it is collected before there is more.
 */
import { pause, type Clock } from '../../schema/clock.ts';
import { limits } from './limits.ts';

export interface LargeFolder {
  /** The folder turned out to be large. Resolves when it is its turn. */
  enter(): Promise<void>;
  /** It is done with, large or not. */
  leave(): void;
}

interface Line {
  last: Promise<void>;
  waiting: number;
}

export function createLargeFolders(clock: Pick<Clock, 'monotonicMs' | 'at'>): (owner: string) => LargeFolder {
  const lines = new Map<string, Line>();
  return (owner) => {
    const { promise: isDone, resolve: leave } = Promise.withResolvers<void>();
    const enter = async (): Promise<void> => {
      const line = lines.get(owner) ?? { last: Promise.resolve(), waiting: 0 };
      lines.set(owner, line);
      const before = line.last;
      line.waiting += 1;
      const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
      const over = async (): Promise<void> => {
        await begun;
        const fromMs = clock.monotonicMs();
        await isDone;
        line.waiting -= 1;
        if (line.waiting === 0) lines.delete(owner);
        if (line.waiting > 1) await pause(clock, Math.min(clock.monotonicMs() - fromMs, limits.largeFolderRestMsMax));
      };
      line.last = over();
      await before;
      begin();
    };
    return { enter, leave };
  };
}
