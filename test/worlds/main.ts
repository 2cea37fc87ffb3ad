/** `node test/worlds/main.ts [--only PATTERN] [--groups NAME,NAME] [--tell]`: root, on a machine with sshd. Prints each world, with `--tell` each statement; exit 1 when something untrue was said. */
import { parseArgs } from 'node:util';
import { groups } from './kinds/all.ts';
import { runWorlds, someOf } from './worlds.ts';

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    groups: { type: 'string' },
    tell: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  },
});
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const { worlds, untrue, unmended, statements, places } = await runWorlds(
  someOf(groups, values.groups?.split(',') ?? null, values.only),
  say,
  values,
);
say(`worlds tried: ${worlds}; statements: ${statements} (${places}); untrue: ${untrue}; fixes that did not mend: ${unmended}`);
process.exitCode = untrue + unmended === 0 ? 0 : 1;
