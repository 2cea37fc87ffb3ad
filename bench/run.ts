/**
 * `npm run bench [-- AREA… --short]`: runs the areas side by side with their peers and writes what each one showed into its section of
 * docs/benchmarks.md, with the commit. Options of one area come as `--name=value` (rooms: `--only=fanout,storm --rounds=3`, `--profile=FILE.svg`); with
 * one, or with --short, nothing is written. `--against COMMIT` lets this tree and that commit take turns instead (against.ts).
 */
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release } from 'node:os';
import { benchAgainst } from './against.ts';
import { optionOf } from './options.ts';
import type { Area, Row } from './rows.ts';

const areas: Readonly<Record<string, () => Promise<Area>>> = {
  proxy: async () => (await import('./proxy.ts')).proxyArea,
  supervision: async () => (await import('./supervision.ts')).supervisionArea,
  ssh: async () => (await import('./ssh.ts')).sshArea,
  files: async () => (await import('./files.ts')).filesArea,
  desktop: async () => (await import('./desktop.ts')).desktopArea,
  many: async () => (await import('./many.ts')).manyArea,
  tick: async () => (await import('./tick.ts')).tickArea,
  engines: async () => (await import('./engines.ts')).enginesArea,
  rooms: async () => (await import('./rooms.ts')).roomsArea,
  'app-calls': async () => (await import('./app-calls.ts')).appCallsArea,
  queue: async () => (await import('./queue.ts')).queueArea,
  metrics: async () => (await import('./metrics.ts')).metricsArea,
  commands: async () => (await import('./commands.ts')).commandsArea,
  dev: async () => (await import('./dev.ts')).devArea,
  validate: async () => (await import('./validate.ts')).validateArea,
};

function table(rows: readonly Row[]): string {
  const head = '| what | ours | peer | ratio | target | held |\n|---|---|---|---|---|---|\n';
  return head + rows.map((r) => `| ${r.name} | ${r.ours} | ${r.peer} | ${r.ratio} | ${r.target} | ${r.held ? 'yes' : 'NO'} |`).join('\n');
}

/** Beside the table of an area, each time that it is written. */
const notes: Readonly<Record<string, string>> = {
  rooms:
    'How the main thread spends its time in a room of 50 at 500 updates a second (`--only=fanout --profile=FILE.svg`): [before](flame-rooms-before.svg) rooms gathered by load, and [after](flame-rooms-after.svg).\n\n',
};

const report = 'docs/benchmarks.md';
const title = '# Benchmarks\n\nBy `npm run bench`; medians, and ratios against the peer in the same run.\n';
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Linux ${release()}, Node ${process.versions.node}`;

/** The sections of the report by area, as they were written last. */
async function writtenSections(): Promise<Map<string, string>> {
  const text = await readFile(report, 'utf8').catch(() => '');
  const parts = text.split(/^## /m).slice(1);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), `## ${part.trimEnd()}\n`]));
}

async function write(name: string, section: string): Promise<void> {
  const sections = (await writtenSections()).set(name, section);
  const known = Object.keys(areas).flatMap((area) => sections.get(area) ?? []);
  await writeFile(report, [title, ...known].join('\n'));
}

/** What was measured: the commit of this tree, and whether files differ from it. */
function measuredTree(): string {
  const git = (...args: readonly string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
  return `${git('rev-parse', '--short', 'HEAD')}${git('status', '--porcelain') === '' ? '' : ' with changes'}`;
}

const short = process.argv.includes('--short');
const against = optionOf('against');
const named = process.argv.slice(2).filter((word) => !word.startsWith('--') && word !== against);
const wanted = named.length > 0 ? named : Object.keys(areas);
for (const name of wanted) if (areas[name] === undefined) throw new Error(`no area "${name}"; there are: ${Object.keys(areas).join(', ')}`);

async function measure(): Promise<boolean> {
  const isWritten = !process.argv.slice(2).some((word) => word.startsWith('--'));
  const tree = measuredTree();
  let allHeld = true;
  for (const name of wanted) {
    console.error(`bench: ${name}`);
    const area = await areas[name]!();
    const rows = await area({ short });
    allHeld = rows.every((r) => r.held) && allHeld;
    const section = `## ${name}\n\nMeasured ${new Date().toISOString().slice(0, 10)} at ${tree} on ${machine}.\n\n${notes[name] ?? ''}${table(rows)}\n`;
    console.log(section);
    if (isWritten) await write(name, section);
  }
  return allHeld;
}

const isGood =
  against === undefined
    ? await measure()
    : await benchAgainst({ areas: wanted, commit: against, rounds: Number(optionOf('rounds') ?? 3), short, only: optionOf('only') });
process.exitCode = isGood ? 0 : 1;
