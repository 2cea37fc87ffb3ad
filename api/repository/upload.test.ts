/** A publisher who sends a byte now and then does not keep a place for ever. */
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { createManualClock } from '../testing/manual-clock.ts';
import { arriving } from './upload.ts';

/** A body of pieces, with so much time before each. */
async function take(pieces: number, bytes: number, everyMs: number): Promise<number> {
  const clock = createManualClock();
  const body = Readable.from(
    (function* () {
      for (let nth = 0; nth < pieces; nth += 1) {
        clock.advance(everyMs);
        yield Buffer.alloc(bytes);
      }
    })(),
    { highWaterMark: 1 },
  );
  let taken = 0;
  for await (const chunk of arriving(clock, Object.assign(body, { complete: true }) as unknown as IncomingMessage)) taken += chunk.length;
  return taken;
}

test('one byte every ten seconds is broken off, also when it never pauses for long', async () => {
  await expect(take(1_000, 1, 10_000)).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('slower than') as string,
  });
});

test('a slow line goes through', async () => {
  expect(await take(1_000, 20_480, 10_000)).toBe(20_480_000);
});
