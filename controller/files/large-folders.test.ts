import { setImmediate as turnEnd } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createSimulatedClock } from '../clock/simulated.ts';
import { createLargeFolders } from './large-folders.ts';

test('one large folder of a person at once; with several waiting, a rest as long as the last one took; nobody else waits', async () => {
  const clock = createSimulatedClock(1_800_000_000_000);
  const folderOf = createLargeFolders(clock);
  const begun: string[] = [];
  const begin = (owner: string, name: string) => {
    const folder = folderOf(owner);
    void folder.enter().then(() => begun.push(name));
    return folder;
  };
  const [one, two, three] = ['1', '2', '3'].map((name) => begin('ana', name));
  begin('bia', 'of bia');
  await turnEnd();
  expect(begun).toEqual(['1', 'of bia']);
  clock.advance(300);
  one!.leave();
  await turnEnd();
  clock.advance(290);
  await turnEnd();
  expect(begun).toEqual(['1', 'of bia']);
  clock.advance(20);
  await turnEnd();
  expect(begun).toEqual(['1', 'of bia', '2']);
  clock.advance(300);
  two!.leave();
  await turnEnd();
  expect(begun).toEqual(['1', 'of bia', '2', '3']);
  three!.leave();
  // A folder that was small never stood in line.
  folderOf('ana').leave();
});
