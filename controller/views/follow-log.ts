/** A log as it is written: a line of its own to the supervisor, ended with the reader. */
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../schema/limits.ts';
import type { PersonEntry } from '../world.ts';

const followers = new WeakMap<PersonEntry, number>();

/** Yields the tail first. Ends when the signal fires or the supervisor goes; a reader that is too slow loses the oldest text. */
export async function* followLog(person: PersonEntry, app: string, tail: number, signal: AbortSignal): AsyncIterable<string> {
  const count = followers.get(person) ?? 0;
  if (count >= limits.followersPerPersonMax) throw new SvcError('RATE_LIMITED', `${person.name} follows ${count} logs already`);
  followers.set(person, count + 1);
  const waiting: string[] = [];
  let heldChars = 0;
  let ended = false;
  let wake = (): void => undefined;
  const end = (): void => {
    ended = true;
    wake();
  };
  try {
    const connection = await person.link.dial((push) => {
      if (push.event !== 'log' || push.app !== app) return;
      waiting.push(push.text);
      heldChars += push.text.length;
      while (heldChars > limits.logTailBytesMax && waiting.length > 1) heldChars -= (waiting.shift() ?? '').length;
      wake();
    }, end);
    signal.addEventListener('abort', end, { once: true });
    try {
      await connection.ask({ op: 'follow', app, tail });
      while (!signal.aborted) {
        const text = waiting.shift();
        if (text !== undefined) {
          heldChars -= text.length;
          yield text;
        } else if (ended) return;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
    } finally {
      signal.removeEventListener('abort', end);
      connection.close();
    }
  } finally {
    followers.set(person, (followers.get(person) ?? 1) - 1);
  }
}
