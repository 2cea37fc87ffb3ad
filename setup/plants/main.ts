/**
 * `npm run plants [-- ROW|FOLDER…] [--left] [--tests] [--together] [--real=SECONDS]`: plants the faults of plants.json one at a time in a throw-away worktree of the last commit, and
 * says what finds each of them first. `--left`: only rows without a result, or lost. `--tests`: without the static steps. `--together`: first all rows that name tests at once, then the rest alone. `--real`: how long the real tests of one row may take; 0: none of them run.
 * See test/README.md.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createSearch } from './search.ts';
import { chosen, summary, type Result, type Results } from './table.ts';
import { makeTree } from './tree.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    left: { type: 'boolean', default: false },
    tests: { type: 'boolean', default: false },
    together: { type: 'boolean', default: false },
    real: { type: 'string', default: '300' },
  },
});
const file = join(import.meta.dirname, 'results.json');
const read = (): Results => JSON.parse(readFileSync(file, 'utf8')) as Results;
/** Read again each time: another run may work on other rows. */
const keep = (id: string, result: Result): void => {
  const all = Object.entries({ ...read(), [id]: result }).toSorted(([one], [other]) => (one < other ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
};

const rows = chosen(positionals).filter(({ id }) => !values.left || (read()[id]?.found ?? 'lost') === 'lost');
const tree = makeTree();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    tree.remove();
    process.exit(130);
  });
try {
  const built = await tree.run(['node', 'setup/build.ts'], 600_000);
  if (built.code !== 0) throw new Error(`setup/build.ts failed without a fault: ${built.output.trim().slice(-2_000)}`);
  const tests = execFileSync('git', ['ls-files', '*.test.ts'], { cwd: tree.folder, encoding: 'utf8' }).trim().split('\n');
  const search = createSearch(tree, { unitMsMax: 300_000, realMsMax: 1_000 * Number(values.real) });
  if (!values.tests) console.log(`${rows.length} faults at once under the compilers and the linter`);
  const statics = values.tests ? new Map<string, string>() : await search.findByStatics(rows);
  const known = new Map([...statics].map(([id, by]): [string, Result] => [id, { found: 'statics', by, seconds: 0, real: '0' }]));
  if (values.together) for (const [id, result] of await search.findTogether(rows.filter(({ id }) => !known.has(id)))) known.set(id, result);
  for (const [at, row] of rows.entries()) {
    const result = known.get(row.id) ?? (await search.findByTests(row, tests));
    keep(row.id, result);
    console.log(
      `${at + 1}/${rows.length} ${row.id.padEnd(22)} ${result.found.padEnd(8)} ${String(result.seconds).padStart(4)} s  ${result.by ?? '–'}`,
    );
  }
} finally {
  tree.remove();
}
console.log(summary(read()).join('\n'));
