/** The log of rooms as it is asked: what is on the disk is noted, and rows come while a compaction works. */
import { hrtime } from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import type { RoomLog } from '../../../store/room-log.ts';
import type { RoomSite } from './rooms.ts';
import { count } from './site.ts';

/** A compaction begins as rows come, and they are written at some moment of it: both threads really work. */
async function amidCompactions({ site, compactions }: RoomSite): Promise<void> {
  const waiting = compactions.splice(0);
  if (waiting.length === 0) return;
  for (const begin of waiting) begin();
  const untilMs = Number(hrtime.bigint() / 1_000_000n) + site.chance('amid compactions').pick([0, 5, 40, 80, 120, 200]);
  while (Number(hrtime.bigint() / 1_000_000n) < untilMs) {
    site.activity += 1;
    await turn();
  }
}

/** Notes what is on the disk. */
export function watched(all: RoomSite): RoomLog {
  return {
    ...all.log,
    compact: async (key, wanted) => {
      await new Promise<void>((resolve) => {
        all.compactions.push(resolve);
        const { clock } = all.site.world;
        clock.at(clock.monotonicMs() + 1_000, resolve);
      });
      count(all.site, 'compactions');
      return await all.log.compact(key, wanted);
    },
    append: async (rows) => {
      await amidCompactions(all);
      const written = rows.map(({ sala, frames }) => [sala, wordsIn(frames)] as const);
      await all.log.append(rows);
      for (const [sala, words] of written) for (const word of words) all.all.find(({ id }) => id === sala)?.durable.add(word);
    },
  };
}

export const wordsIn = (bytes: Uint8Array): readonly string[] => Buffer.from(bytes).toString('latin1').match(/<\w+>/g) ?? [];
