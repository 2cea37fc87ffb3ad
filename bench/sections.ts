/** Writes the rows of an area as its section of docs/benchmarks.md. */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { Area, Row } from './rows.ts';
import { sayStep, spanOf } from './steps.ts';

const report = 'docs/benchmarks.md';
const title = `# Benchmarks

By \`npm run bench\`: medians, and ratios against the peer in the same run. Its console has load, percentiles and rows without a target, too. Targets that are missed:
[0427](decisions/0427-what-was-tried-for-speed.md).
`;
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}`;

const heldOf = ({ held }: Row): string => (held === null ? '–' : held ? 'yes' : 'NO');

/** All that is known of the rows, for the console. */
function table(rows: readonly Row[]): string {
  const head = '| what | ours | peer | ratio | target | held |\n|---|---|---|---|---|---|\n';
  return head + rows.map((r) => `| ${r.name} | ${r.ours} | ${r.peer} | ${r.ratio} | ${r.target} | ${heldOf(r)} |`).join('\n');
}

/** A figure as the page has it: the console has p99 and the course of it, too. */
const figureOf = (text: string): string => text.replaceAll(/, p99 [\d.,]+ \S+| \((?:p99|at 0, 10|p50)[^)]*\)/g, '');

/** A row as the page has it. */
function brief({ name, ours, peer, ratio, target, held }: Row): string {
  const what = figureOf(name.replace(/ \((?:load|p50|p99|CPU for)[^)]*\)/, ''));
  return `| ${what} | ${figureOf(ours)} | ${figureOf(peer)} | ${ratio} | ${target}${held === false ? ': missed' : ''} |`;
}

/** A size of `many`, such as `20 people, 20 signed in`, and what was measured of it. */
const ofSize = /^([\d,]+ people), \d+ signed in: (.+)$/;

/** The rows of a page: those with a target; sizes of one measure that has none are one row. */
export function pageTable(rows: readonly Row[]): string {
  const sizes = rows.filter(({ name, held }) => held === null && ofSize.test(name));
  const single = rows.filter(({ held }) => held !== null);
  const narrow = ['| what | ours | peer | ratio | target |', '|---|---|---|---|---|', ...single.map(brief)];
  const byMeasure = Map.groupBy(sizes, ({ name }) => ofSize.exec(name)?.[2] ?? '');
  const columns = [...new Set(sizes.map(({ name }) => ofSize.exec(name)?.[1] ?? ''))];
  const wide = [...byMeasure].map(([measure, of]) => {
    const cells = columns.map((size) => of.find(({ name }) => name.startsWith(`${size},`))?.ours ?? '');
    return `| ${[measure, ...cells].join(' | ')} |`;
  });
  if (wide.length === 0) return narrow.join('\n');
  return [...narrow, '', `| without a target | ${columns.join(' | ')} |`, `|---|${columns.map(() => '---|').join('')}`, ...wide].join('\n');
}

/** Text beside the table each time that it is written: bench/notes/AREA.md, whose links are those of its folder. */
async function notesOf(name: string): Promise<string> {
  const text = await readFile(new URL(`notes/${name}.md`, import.meta.url), 'utf8').catch(() => '');
  return text === '' ? '' : `${text.trimEnd().replaceAll('](../../docs/', '](')}\n\n`;
}

/** The sections of the report by area, as they were written last. */
async function writtenSections(): Promise<Map<string, string>> {
  const text = await readFile(report, 'utf8').catch(() => '');
  const parts = text.split(/^## /m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), `## ${part.trimEnd()}\n`]));
}

/** The measured tree: its commit, and whether files differ from it. */
function measuredTree(): string {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  // The report itself is written while a run goes on.
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain', '--', '.', `:!${report}`) === '' ? '' : ' with changes'}`;
}

interface Measured {
  readonly name: string;
  readonly area: Area;
  /** Names of all areas, in the order of the report. */
  readonly order: readonly string[];
  readonly short: boolean;
  readonly isWritten: boolean;
}

/** Answers with the exit code: 1 when a target was missed. */
export async function measureArea({ name, area, order, short, isWritten }: Measured): Promise<0 | 1> {
  const [tree, fromMs] = [measuredTree(), performance.now()];
  sayStep(name);
  const rows = await area({ short });
  const took = spanOf(performance.now() - fromMs);
  const notes = await notesOf(name);
  const day = new Date().toISOString().slice(0, 10);
  const head = `## ${name}\n\n${day}, ${tree}, ${machine}, ${took}.\n\n`;
  const section = `${head}${notes}${pageTable(rows)}\n`;
  console.log(`${head}${table(rows)}\n`);
  if (isWritten) {
    const sections = (await writtenSections()).set(name, section);
    await writeFile(report, [title, ...order.flatMap((one) => sections.get(one) ?? [])].join('\n'));
  }
  const missed = rows.filter(({ held }) => held === false);
  if (missed.length > 0) sayStep(`${name} misses ${missed.length} targets: docs/decisions/0427 says what was tried`);
  return missed.length > 0 ? 1 : 0;
}
