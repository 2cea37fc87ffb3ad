/** `npm run worlds` in the long run: the site alone takes most of a minute. */
import { expect, test } from 'vitest';
import { tellCount } from '../support/counts.ts';
import { groups } from './kinds/all.ts';
import { runWorlds } from './worlds.ts';

test.runIf(process.env['SVC_TEST_LONG'] === '1')(
  'what is said of a broken world is true, and mends it',
  { timeout: 3_600_000 },
  async () => {
    const wrong: string[] = [];
    const report = await runWorlds(groups, (line) => void (line.startsWith('FAIL') && wrong.push(line)), {});
    tellCount(
      `worlds: ${report.worlds}, ${report.statements} statements, ${report.untrue} untrue, ${report.unmended} fixes that did not mend`,
    );
    expect(wrong).toEqual([]);
  },
);
