import { describe, expect, test } from 'vitest';
import { changeOf, sourceOf, type Change } from './changes.ts';
import { createTurns } from './turns.ts';

/** Work that ends when the test says so, or when it is overtaken. */
function slowWork() {
  const done: Change[] = [];
  let finish = (): void => {};
  const turns = createTurns(async (change, overtaken) => {
    done.push(change);
    await new Promise<void>((resolve) => {
      finish = resolve;
      overtaken.addEventListener('abort', () => resolve(), { once: true });
    });
  });
  const tick = async (): Promise<void> => {
    for (let n = 0; n < 20; n += 1) await Promise.resolve();
  };
  return { turns, done, tick, finish: () => finish() };
}

const files = (done: readonly Change[]): readonly (readonly string[])[] => done.map((change) => change.files);

describe('changes while one is worked on', () => {
  test('of pages wait and are done as one', async () => {
    const { turns, done, tick, finish } = slowWork();
    turns.push(changeOf(['backend/main.py'], 1));
    turns.push(changeOf(['frontend/a.html'], 2));
    turns.push(changeOf(['frontend/b.html'], 3));
    await tick();
    expect(files(done)).toEqual([['backend/main.py']]);
    finish();
    await tick();
    expect(files(done)).toEqual([['backend/main.py'], ['frontend/a.html', 'frontend/b.html']]);
    finish();
    await turns.idle();
  });

  test('of the backend end the wait for a start that is pointless now', async () => {
    const { turns, done, tick, finish } = slowWork();
    turns.push(changeOf(['svc-app.json'], 1));
    turns.push(changeOf(['backend/main.py'], 2));
    await tick();
    expect(files(done)).toEqual([['svc-app.json'], ['backend/main.py']]);
    // The manifest that was not taken yet is not forgotten.
    expect(done[1]).toMatchObject({ manifest: true, backend: true, sinceMs: 2 });
    finish();
    await turns.idle();
  });

  test('of the backend do not cut short what is only a page', async () => {
    const { turns, done, tick, finish } = slowWork();
    turns.push(changeOf(['frontend/a.html'], 1));
    turns.push(changeOf(['backend/main.py'], 2));
    await tick();
    expect(files(done)).toEqual([['frontend/a.html']]);
    finish();
    await tick();
    expect(files(done)).toEqual([['frontend/a.html'], ['backend/main.py']]);
    finish();
    await turns.idle();
  });
});

test('idle resolves at once when nothing was ever asked', async () => {
  await expect(slowWork().turns.idle()).resolves.toBeUndefined();
});

test('source is built first and alone: what the build writes does not end it, and a start that it makes pointless is not waited for', async () => {
  const { turns, done, tick, finish } = slowWork();
  turns.push(changeOf(['backend/app'], 1));
  turns.push(sourceOf(['backend/src/main.c'], 2));
  await tick();
  turns.push(changeOf(['backend/app'], 3));
  await tick();
  expect(done.map(({ source, backend }) => [source, backend])).toEqual([
    [false, true],
    [true, false],
  ]);
  finish();
  await tick();
  expect(done.at(-1)).toMatchObject({ source: false, backend: true });
  expect(done).toHaveLength(3);
  finish();
  await turns.idle();
});
