/**
 * `npm run bench -- AREA… --against COMMIT [--rounds=N] [--short]`: this tree and a checkout of COMMIT take turns in one run, area by area. For each row of
 * the tables that both print: the figure of either side (median of the rounds), new divided by old in each round, their median and their spread.
 * A difference within the spread is none. Nothing is written to docs/benchmarks.md.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { UsageError } from './options.ts';
import { median } from './rows.ts';

export interface AgainstOptions {
  readonly areas: readonly string[];
  readonly commit: string;
  readonly rounds: number;
  readonly short: boolean;
  /** Handed on as it is. */
  readonly only: string | undefined;
}

/** Row name → its figure of ours, in the base unit (s, B) or as it stands. */
type Figures = ReadonlyMap<string, Figure>;

interface Figure {
  readonly value: number;
  readonly unit: string;
}

const root = resolve(import.meta.dirname, '..');

/** Answers false when a side printed no table. Ended from outside, it takes its checkout away first. */
export async function benchAgainst(options: AgainstOptions): Promise<boolean> {
  const old = checkOut(options.commit);
  const quit = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => quit.abort());
  try {
    let isWhole = true;
    for (const area of options.areas) {
      const compared = await compareArea(area, { ...options, old, quit: quit.signal });
      if (quit.signal.aborted) return false;
      isWhole = compared && isWhole;
    }
    return isWhole;
  } finally {
    old.remove();
  }
}

interface Turns extends AgainstOptions {
  readonly old: Checkout;
  readonly quit: AbortSignal;
}

async function compareArea(area: string, { old, quit, rounds, short, only }: Turns): Promise<boolean> {
  const nameOf = (folder: string): string => (folder === root ? 'this tree' : old.name);
  const args = [area, ...(short ? ['--short'] : []), ...(only === undefined ? [] : [`--only=${only}`])];
  const pairs: { readonly before: Figures; readonly now: Figures }[] = [];
  let problem: string | null = null;
  for (let round = 0; round < rounds && problem === null; round += 1) {
    const sides = round % 2 === 0 ? [old.folder, root] : [root, old.folder];
    const got = new Map<string, Figures>();
    for (const folder of sides) {
      console.error(`bench: ${area}, round ${round + 1} of ${rounds}, ${nameOf(folder)}`);
      const figures = figuresOf(await outputOf(folder, args, quit));
      if (quit.aborted) return false;
      // The rounds after it would be as mute.
      if (figures.size === 0) problem = `${nameOf(folder)} printed no table`;
      got.set(folder, figures);
    }
    pairs.push({ before: got.get(old.folder)!, now: got.get(root)! });
  }
  const rows = comparedRows(pairs);
  if (rows.length === 0) problem ??= 'no row in common';
  console.log(`## ${area}: this tree against ${old.name}, ${rounds} rounds in turns\n`);
  console.log(
    `| what | ${old.name} | now | now ÷ before | spread |\n|---|---|---|---|---|\n${rows.join('\n')}${problem === null ? '' : `| ${problem} | | | | |`}\n`,
  );
  return problem === null;
}

interface Checkout {
  readonly folder: string;
  readonly name: string;
  remove(): void;
}

const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();

function commitOf(commit: string): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', '--verify', `${commit}^{commit}`], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    throw new UsageError(`--against: there is no commit ${commit} here`);
  }
}

/** A worktree of its own, with the packages of this tree where its lock file is the same. */
function checkOut(commit: string): Checkout {
  const name = commitOf(commit);
  const folder = join(mkdtempSync(join(tmpdir(), 'svc-bench-against-')), 'tree');
  git('worktree', 'add', '--detach', folder, name);
  const remove = (): void => {
    git('worktree', 'remove', '--force', folder);
    rmSync(resolve(folder, '..'), { recursive: true, force: true });
  };
  try {
    const isSameLock = git('diff', '--stat', name, '--', 'package-lock.json') === '';
    if (isSameLock && existsSync(join(root, 'node_modules'))) symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
    execFileSync('sh', ['setup/ready.sh', 'bench'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    remove();
    throw error;
  }
  return { folder, name, remove };
}

/** `--short` and any option keep that side from writing its report; the exit code only says whether its targets held. */
function outputOf(folder: string, args: readonly string[], quit: AbortSignal): Promise<string> {
  const argv = ['bench/run.ts', ...args, '--told=against'];
  const child = spawn(join(folder, 'node_modules/.bin/node'), argv, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const end = (): void => void child.kill('SIGTERM');
  quit.addEventListener('abort', end);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
  return new Promise((done, fail) =>
    child.once('error', fail).once('close', () => {
      quit.removeEventListener('abort', end);
      done(text);
    }),
  );
}

const factors: Readonly<Record<string, number>> = {
  s: 1,
  ms: 1e-3,
  µs: 1e-6,
  GB: 2 ** 30,
  MB: 2 ** 20,
  MiB: 2 ** 20,
  KB: 2 ** 10,
  KiB: 2 ** 10,
};

/** `12,879 req/s` → 12879, `950 µs` and `p50 950 µs` → 0.00095 s; the first number that stands by itself, or NaN. */
export function figureOf(text: string): Figure {
  const found = /(?<![\w.])(-?\d[\d,]*(?:\.\d+)?)\s*([A-Za-zµ%]+(?:\/s)?)?/.exec(text);
  if (found === null) return { value: Number.NaN, unit: '' };
  const [unit = ''] = found.slice(2);
  const factor = factors[unit];
  return {
    value: Number(found[1]!.replaceAll(',', '')) * (factor ?? 1),
    unit: factor === undefined ? unit : unit.endsWith('s') ? 's' : 'B',
  };
}

/** For people: with the unit that makes it a short number. */
export function shown({ value, unit }: Figure): string {
  const fitting =
    { s: ['s', 'ms', 'µs'], B: ['GB', 'MB', 'KB'] }[unit]?.find((each) => value >= factors[each]!) ?? { s: 'µs', B: 'KB' }[unit];
  const number = Number((value / (factors[fitting ?? ''] ?? 1)).toPrecision(4));
  return `${number} ${fitting ?? unit}`.trim();
}

/** Rows of the tables in the output, without what a row says in brackets of the load of that run. */
export function figuresOf(output: string): Figures {
  const rows = output.split('\n').flatMap((line): [string, Figure][] => {
    const [, what, ours] = line.split('|').map((cell) => cell.trim());
    if (what === undefined || ours === undefined || what === 'what' || /^-+$/.test(what)) return [];
    const figure = figureOf(ours);
    return Number.isNaN(figure.value) ? [] : [[what.replaceAll(/ \((?:load|CHECK FAILED)[^)]*\)/g, ''), figure]];
  });
  return new Map(rows);
}

/** Rows that every round has on both sides. */
export function comparedRows(pairs: readonly { readonly before: Figures; readonly now: Figures }[]): readonly string[] {
  const names = [...(pairs[0]?.now.keys() ?? [])].filter((name) => pairs.every(({ before, now }) => before.has(name) && now.has(name)));
  return names.map((name) => {
    const before = pairs.map((pair) => pair.before.get(name)!.value);
    const now = pairs.map((pair) => pair.now.get(name)!.value);
    const ratios = now.map((value, n) => value / before[n]!);
    const { unit } = pairs[0]!.now.get(name)!;
    const sides = [median(before), median(now)].map((value) => shown({ value, unit }));
    const spread = `${Math.min(...ratios).toFixed(2)} – ${Math.max(...ratios).toFixed(2)}`;
    return `| ${name} | ${sides[0]} | ${sides[1]} | ${median(ratios).toFixed(2)}× | ${spread} |`;
  });
}
