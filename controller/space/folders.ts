/** Folders of a server with the room that they take, by kit/server/du.sh. Its output comes from a person's account and is held against its shape. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { HostRun, HostRunEnd } from '../hosts/host.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../limits.ts';

/** `depth`: how far folders are listed one by one. */
export interface Asked {
  readonly name: string;
  readonly depth: number;
}

export interface Measured {
  /** As it was asked for. */
  readonly root: string;
  readonly bytes: number;
  readonly isWhole: boolean;
  /** Folders down to the depth, by path from the root; of a root that was cut off those that were done. */
  readonly below: ReadonlyMap<string, number>;
}

const script = path.resolve(import.meta.dirname, '../../kit/server/du.sh');
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Rejects as `run` does; a folder that is not there has nothing in it. */
export async function measure(
  run: (program: HostRun) => Promise<HostRunEnd>,
  dir: string,
  asked: readonly Asked[],
  signal: AbortSignal,
): Promise<readonly Measured[]> {
  const words = asked.map(({ name, depth }) => quoted(`${name}:${depth}:${limits.spaceFolderSeconds}`)).join(' ');
  const lines: string[] = [];
  const { code } = await run({
    argv: ['sh', '-s'],
    stdin: `dir=${quoted(dir)}\nset -- ${words}\n${readFileSync(script, 'utf8')}`,
    onLine: (line) => lines.push(line),
    signal,
    msMax: limits.spaceFolderSeconds * 1_000 * asked.length + limits.spaceAnswerMs,
  });
  if (code === 15) return [];
  if (code !== 0) throw new SvcError('SERVER_UNREACHABLE', `du ended with exit code ${code}`);
  return readMeasured(lines);
}

export function readMeasured(lines: readonly string[]): readonly Measured[] {
  const found: Measured[] = [];
  let root: string | null = null;
  let below = new Map<string, number>();
  for (const line of lines) {
    const end = /^end ([0-9]{1,3})$/.exec(line)?.[1];
    if (line.startsWith('root ')) {
      root = line.slice('root '.length);
      below = new Map();
    } else if (root !== null && end !== undefined) {
      found.push(measuredOf(root, below, end === '0'));
      root = null;
    } else if (root !== null) {
      const [, kb = '', at = ''] = /^([0-9]{1,13})\t(.+)$/.exec(line) ?? [];
      if (at === root || at.startsWith(`${root}/`)) below.set(at, Number(kb) * 1_024);
    }
  }
  return found;
}

function measuredOf(root: string, said: ReadonlyMap<string, number>, isWhole: boolean): Measured {
  const whole = said.get(root);
  const below = new Map([...said].flatMap(([at, bytes]) => (at === root ? [] : [[at.slice(root.length + 1), bytes] as const])));
  // Cut off: those that are in no other one that was done.
  const tops = [...below].filter(([at]) => !ancestorsOf(at).some((above) => below.has(above)));
  const sum = tops.reduce((all, [, bytes]) => all + bytes, 0);
  return { root, bytes: whole ?? sum, isWhole: isWhole && whole !== undefined, below };
}

function ancestorsOf(at: string): readonly string[] {
  const parts = at.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
