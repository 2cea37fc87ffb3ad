/** Logs of backends: the last lines, a line of ours, and new ones over a separate connection to the supervisor, closed with the reader. */
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import type { AppCommands } from '../../schema/gateway.ts';
import { serverAppPaths } from '../../schema/server-paths.ts';
import type { PersonEntry, Entries } from '../entries.ts';

const followers = new WeakMap<PersonEntry, number>();

export function logCommands(entries: Entries): Pick<AppCommands, 'log' | 'followLog' | 'note'> {
  const personOf = (usuario: string): PersonEntry => {
    const person = entries.people.get(usuario);
    if (!person) throw new SvcError('NOT_FOUND', `no person ${usuario}`);
    return person;
  };
  return {
    log: async (usuario, app, { tail, previous }) => {
      const person = personOf(usuario);
      const elsewhere = logElsewhere(person, app);
      if (elsewhere !== null) return elsewhere;
      await reach(person);
      return (await person.link.ask({ op: 'log', app, tail: Math.min(tail, sharedLimits.logTailLinesMax), previous })).text;
    },
    note: async (usuario, app, text) => {
      const person = personOf(usuario);
      if (logElsewhere(person, app) !== null) throw new SvcError('BAD_REQUEST', `${app} has no run.log of a person`);
      await person.link.ask({ op: 'note', app, text });
    },
    followLog: (usuario, app, { tail, signal }) => {
      const person = personOf(usuario);
      const elsewhere = logElsewhere(person, app);
      return elsewhere === null ? followLog(person, app, Math.min(tail, sharedLimits.logTailLinesMax), signal) : oneText(elsewhere);
    },
  };
}

/**
 * The supervisor of a person who is away was ended because none of their apps has to run. It is started again to read the log; the loop
 * ends it after a minute without need. The same for secrets.
 */
async function reach(person: PersonEntry): Promise<void> {
  if (person.link.view().status !== 'up') await person.link.ensure();
}

/**
 * An app of server scope has no run.log of a person: its output is in the journal, which the system keeps for its administrators. A person
 * who never signed in has no log at all.
 */
function logElsewhere(person: PersonEntry, app: string): string | null {
  if (person.packages.get(app)?.manifest.escopo === 'servidor') {
    const { name } = person.server;
    return `${app} is of server scope: its log is the journal of the server ${name}. There, as an administrator: journalctl -u ${serverAppPaths(app).unit}\n`;
  }
  const neverRan = !person.everSignedIn && person.link.view().status === 'down' && person.link.snapshot(app) === null;
  if (neverRan && person.server.reachability.status === 'reachable')
    return `${person.name} has not signed in yet and none of their apps was started: ${app} has no log\n`;
  return null;
}

async function* oneText(text: string): AsyncIterable<string> {
  yield text;
}

/** Yields the tail first. Ends when the signal fires or the supervisor goes; a reader that is too slow loses the oldest text. */
async function* followLog(person: PersonEntry, app: string, tail: number, signal: AbortSignal): AsyncIterable<string> {
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
    await reach(person);
    const connection = await person.link.dial((push) => {
      if (push.event !== 'log' || push.app !== app) return;
      waiting.push(push.text);
      heldChars += push.text.length;
      while (heldChars > sharedLimits.logTailBytesMax && waiting.length > 1) heldChars -= (waiting.shift() ?? '').length;
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
