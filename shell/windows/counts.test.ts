import { describe, expect, test } from 'vitest';
import { createWindowCounts } from './counts.ts';

/** The portal's side: answers when the test lets it. */
function portal() {
  const sent: string[] = [];
  const closed: string[] = [];
  const answers: { resolve(): void; reject(error: Error): void }[] = [];
  const counts = createWindowCounts({
    send: (app, open, page) => {
      sent.push(`${app} ${open} ${page}`);
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      answers.push({ resolve, reject });
      return promise;
    },
    closeTabs: (app) => closed.push(app),
  });
  const answer = async (): Promise<void> => {
    answers.shift()?.resolve();
    await new Promise(setImmediate);
  };
  return { counts, sent, closed, answers, answer };
}
const open = (entries: Record<string, number>): Map<string, number> => new Map(Object.entries(entries));

describe('window counts', () => {
  test('wait for the name of the page, then go out', () => {
    const { counts, sent } = portal();
    counts.update(open({ notas: 2 }));
    expect(sent).toEqual([]);
    counts.connected('p1');
    expect(sent).toEqual(['notas 2 p1']);
  });

  test('an older count never overtakes a newer one', async () => {
    const { counts, sent, answer } = portal();
    counts.connected('p1');
    counts.update(open({ notas: 1 }));
    counts.update(open({ notas: 2 }));
    counts.update(open({ notas: 3 }));
    expect(sent).toEqual(['notas 1 p1']);
    await answer();
    expect(sent).toEqual(['notas 1 p1', 'notas 3 p1']);
  });

  test('the last window tells the portal zero and the app close-tabs, once', async () => {
    const { counts, sent, closed, answer } = portal();
    counts.connected('p1');
    counts.update(open({ notas: 2 }));
    await answer();
    counts.update(open({ notas: 1 }));
    await answer();
    expect(closed).toEqual([]);
    counts.update(open({}));
    counts.update(open({}));
    await answer();
    expect(closed).toEqual(['notas']);
    expect(sent).toEqual(['notas 2 p1', 'notas 1 p1', 'notas 0 p1']);
  });

  test('a new connection is told everything that is open, and nothing else', async () => {
    const { counts, sent, answer } = portal();
    counts.connected('p1');
    counts.update(open({ notas: 1, relogio: 1 }));
    await answer();
    await answer();
    counts.connected(null);
    counts.update(open({ notas: 1 }));
    counts.connected('p2');
    expect(sent.slice(2)).toEqual(['notas 1 p2']);
  });

  test('an answer to the connection before does not count for the new one', async () => {
    const { counts, sent, answer } = portal();
    counts.connected('p1');
    counts.update(open({ notas: 1 }));
    counts.connected('p2');
    await answer();
    await expect.poll(() => sent).toEqual(['notas 1 p1', 'notas 1 p2']);
  });

  test('a refused count is told again with the next connection', async () => {
    const { counts, sent, answers } = portal();
    counts.connected('p1');
    counts.update(open({ notas: 1 }));
    answers.shift()?.reject(new Error('offline'));
    await new Promise(setImmediate);
    counts.connected(null);
    counts.connected('p2');
    expect(sent).toEqual(['notas 1 p1', 'notas 1 p2']);
  });
});
