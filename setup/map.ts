/** Prints the map of a checkout, `node setup/map.ts [DIR]`: files and lines of what runs, imports between folders, circles. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(process.argv[2] ?? '.');
const folders = ['schema', 'machines', 'reconcilers', 'store', 'controller', 'kit', 'api', 'sdk', 'shell', 'bin', 'setup'];
const listed = execFileSync('git', ['ls-files', '--', ...folders], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');
const texts = new Map(
  listed
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.includes('/testing/'))
    .map((file) => [file, readFileSync(path.join(root, file), 'utf8')]),
);
const importsOf = (file: string): string[] =>
  Array.from((texts.get(file) ?? '').matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g), ([, to = '']) =>
    path.join(path.dirname(file), to),
  ).filter((to) => texts.has(to));

const lines = (file: string): number => (texts.get(file) ?? '').split('\n').length - 1;
const topOf = (file: string): string => file.slice(0, file.indexOf('/'));

process.stdout.write('| folder | files | lines | imports of other folders |\n|---|---|---|---|\n');
for (const folder of folders) {
  const own = [...texts.keys()].filter((file) => topOf(file) === folder);
  const others = own
    .flatMap(importsOf)
    .map(topOf)
    .filter((to) => to !== folder);
  const told = [...Map.groupBy(others, (to) => to)].map(([to, all]) => `${to} ${all.length}`).join(', ');
  process.stdout.write(`| \`${folder}/\` | ${own.length} | ${own.reduce((sum, file) => sum + lines(file), 0)} | ${told} |\n`);
}

/** Files that can come back to themselves, by what they reach. */
function reached(from: string): ReadonlySet<string> {
  const seen = new Set<string>();
  const next = importsOf(from);
  for (let file = next.pop(); file !== undefined; file = next.pop()) {
    if (!seen.has(file)) next.push(...importsOf(file));
    seen.add(file);
  }
  return seen;
}

const reach = new Map([...texts.keys()].map((file) => [file, reached(file)]));
const inCircles = [...reach].filter(([file, all]) => all.has(file)).map(([file]) => file);
const circles = new Set(
  inCircles.map((file) => inCircles.filter((other) => reach.get(file)?.has(other) && reach.get(other)?.has(file)).join(' ')),
);
const sizes = [...texts.keys()].map((file) => ({ file, lines: lines(file) })).toSorted((a, b) => a.lines - b.lines);
const [median, largest] = [sizes[Math.floor(sizes.length / 2)], sizes.at(-1)];
const total = sizes.reduce((sum, one) => sum + one.lines, 0);
process.stdout.write(
  `\n${sizes.length} files, ${total} lines; median ${median?.lines}, largest ${largest?.lines} (${largest?.file}); ${circles.size} circles, of ${inCircles.length} files\n`,
);
