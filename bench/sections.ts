/** Writes the rows of an area as its section of docs/benchmarks.md. */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import type { Area, Row } from './rows.ts';
import { sayStep } from './steps.ts';

const report = 'docs/benchmarks.md';
const title = `# Benchmarks

By \`npm run bench\`: medians, and ratios against the peer of the same run. Its console also has load, percentiles, figures of peers and rows without a target. "…" is the text of the row above. Missed targets: [0427](decisions/0427-what-was-tried-for-speed.md).
`;
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.versions.node}`;

const heldOf = ({ held }: Row): string => (held === null ? '–' : held ? 'yes' : 'NO');

/** All that is known of the rows, for the console. */
function table(rows: readonly Row[]): string {
  const head = '| what | ours | peer | ratio | target | held |\n|---|---|---|---|---|---|\n';
  return head + rows.map((r) => `| ${r.name} | ${r.ours} | ${r.peer} | ${r.ratio} | ${r.target} | ${heldOf(r)} |`).join('\n');
}

/** A text as the page has it: the console has p99 and the course of it, too. */
const briefly = (text: string): string => text.replaceAll(/, p99 [\d.,]+ \S+| \((?:p99|at 0, 10|p50)[^)]*\)/g, '');

/** A figure as the page has it, which says of all that they are medians. */
const figureOf = (text: string): string => briefly(text).replaceAll(/\bp50 (?=[\d≤<])/g, '');

/** Cells that rows below each other have in common, said by the first of them. */
const sharedOf = (what: string): string => /^\S+ [^:]*: /.exec(what)?.[0] ?? '';

/** The name of a row, and that of its peer where it has one: '' otherwise. */
function namesOf({ name }: Row): readonly [what: string, peer: string] {
  const whole = briefly(name.replace(/ \((?:load|p50|p99|CPU for)[^)]*\)/, ''));
  const [, what = whole, peer = ''] = /^(.+?),? against ([^,]+)$/.exec(whole) ?? [];
  return [what, peer];
}

/** The peer with its ratio and target. The ratio tells the figure of a peer that has a name; a dash in its place is no peer. */
function against(row: Row, peer: string): string {
  const target = `(${figureOf(row.target)}${row.held === false ? ', missed' : ''})`;
  const other = peer === '' ? figureOf(row.peer) : peer;
  return /^[-–—]/.test(other) ? target : `${other}: ${row.ratio} ${target}`;
}

/** The rows of a page: those with a target. Rows of one measurement are one, with all its peers. */
export function pageTable(rows: readonly Row[]): string {
  const lines: string[] = [];
  let [whatAbove, oursAbove] = ['', ''];
  for (const row of rows.filter(({ held }) => held !== null)) {
    const [what, peer] = namesOf(row);
    const ours = figureOf(row.ours);
    const shared = sharedOf(what);
    if (what === whatAbove && ours === oursAbove) lines.push(`${lines.pop()?.slice(0, -2) ?? ''} · ${against(row, peer)} |`);
    else {
      const isSaid = shared !== '' && sharedOf(whatAbove) === shared;
      const said = isSaid ? `… ${what.slice(shared.length).replace(/^… /, '')}` : what;
      lines.push(`| ${what === whatAbove ? '…' : said} | ${ours} | ${against(row, peer)} |`);
    }
    [whatAbove, oursAbove] = [what, ours];
  }
  return ['| what | ours | against: ratio (target) |', '|---|---|---|', ...lines].join('\n');
}

/** When, of what and where a section was measured: its first line. */
const measuredOf = (section: string): string => section.split('\n')[2] ?? '';

/** The page of these sections: what most of them were measured at is said once, above them. */
export function pageOf(sections: readonly string[]): string {
  const groups = [...Map.groupBy(sections, measuredOf)].toSorted(([, left], [, right]) => right.length - left.length);
  const most = groups[0]?.[0] ?? '';
  return [title, `Unless a section says another: ${most}\n`, ...sections.map((section) => section.replace(`\n\n${most}`, ''))].join('\n');
}

/** The sections of a page by area, each with what it was measured at. */
export function sectionsOf(page: string): Map<string, string> {
  const most = /^Unless a section says another: (.*)$/m.exec(page)?.[1] ?? '';
  const parts = page.split(/^## /m).slice(1);
  return new Map(
    parts.map((part) => {
      const name = part.slice(0, part.indexOf('\n'));
      const text = part.slice(name.length).trimEnd();
      return [name, `## ${name}${/^\n\n\d{4}-/.test(text) ? '' : `\n\n${most}`}${text}\n`];
    }),
  );
}

/** Text beside the table each time that it is written: bench/notes/AREA.md, whose links are those of its folder. */
async function notesOf(name: string): Promise<string> {
  const text = await readFile(new URL(`notes/${name}.md`, import.meta.url), 'utf8').catch(() => '');
  return text === '' ? '' : `${text.trimEnd().replaceAll('](../../docs/', '](')}\n\n`;
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
  const tree = measuredTree();
  sayStep(name);
  const rows = await area({ short });
  const notes = await notesOf(name);
  const day = new Date().toISOString().slice(0, 10);
  const head = `## ${name}\n\n${day}, ${tree}, ${machine}.\n\n`;
  const section = `${head}${notes}${pageTable(rows)}\n`;
  console.log(`${head}${table(rows)}\n`);
  if (isWritten) {
    const sections = sectionsOf(await readFile(report, 'utf8').catch(() => '')).set(name, section);
    await writeFile(report, pageOf(order.flatMap((one) => sections.get(one) ?? [])));
  }
  const missed = rows.filter(({ held }) => held === false);
  if (missed.length > 0) sayStep(`${name} misses ${missed.length} targets: docs/decisions/0427 says what was tried`);
  return missed.length > 0 ? 1 : 0;
}
