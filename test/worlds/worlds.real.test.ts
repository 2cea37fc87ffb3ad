/** `npm run worlds`: all in the long run, otherwise some worlds of a group that a seed chooses. Needs root. */
import { expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { shareSeed } from '../support/share.ts';
import { groups } from './kinds/all.ts';
import { runWorlds, shareOf } from './worlds.ts';

const isLong = process.env['SVC_TEST_LONG'] === '1';

test('what is said of a broken world is true, and mends it', { timeout: isLong ? 7_200_000 : 1_800_000 }, async () => {
  const wrong: string[] = [];
  const chosen = isLong ? groups : shareOf(groups, shareSeed);
  const report = await runWorlds(chosen, (line) => void (line.startsWith('FAIL') && wrong.push(line)));
  const where = isLong ? '' : ` (${chosen.map(({ name }) => name).join()}, FC_SEED=${shareSeed})`;
  tellCount(
    `worlds: ${report.worlds}${where}, ${report.statements} statements (${report.places}), ${report.untrue} untrue, ${report.unmended} fixes that did not mend`,
  );
  expect(wrong).toEqual([]);
});
