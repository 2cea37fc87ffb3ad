/** A real `svc dev` for tests, with a state folder of its own under a short path. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compileCache } from '../../kit/testing/compile-cache.ts';
import { kitSource } from '../../kit/testing/kit-source.ts';
import { processesBelow, repository, until } from './portal.ts';

export interface RunningDev {
  /** The author's folder: a copy that may be changed. */
  readonly folder: string;
  readonly state: string;
  readonly pid: number;
  /** Everything that it printed so far. */
  output(): string;
  /** Works once. */
  link(person: string): string;
  /** Resolves when it printed that, after what it printed so far or since `from`. */
  says(text: string | RegExp, from?: number): Promise<void>;
  /** Changes a file of the folder; answers how much was printed before. */
  edit(file: string, change: (text: string) => string): Promise<number>;
  /** The signal, and how it ended. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Starts another one on the same folder and state. */
  again(args?: readonly string[]): Promise<void>;
  /** Ends what is left, and removes the folders. */
  remove(): Promise<void>;
}

export interface DevOptions {
  /** Folder of the app, which is copied. */
  readonly app: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Resolves when the links are printed. */
export async function startDev({ app, args = [], env = {} }: DevOptions): Promise<RunningDev> {
  const dir = await mkdtemp(join(tmpdir(), 'svcd-'));
  const folder = join(dir, 'app');
  const state = join(dir, 's');
  await cp(app, folder, { recursive: true });
  let child: ChildProcess | null = null;
  let output = '';
  const begin = async (more: readonly string[]): Promise<void> => {
    const started = spawn(join(repository, 'bin/svc'), ['dev', folder, '--state', state, ...more], {
      env: { ...process.env, NODE_COMPILE_CACHE: compileCache, SVC_KIT_SOURCE: kitSource, LANG: 'C.UTF-8', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    const from = output.length;
    for (const stream of [started.stdout, started.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    const gone = once(started, 'exit').then(([code]) => {
      throw new Error(`svc dev ended with ${String(code)}:\n${output}`);
    });
    gone.catch(() => undefined);
    await Promise.race([until('svc dev prints its links', () => output.includes('Ctrl-C ends everything', from), 60_000, 50), gone]);
  };
  const end = async (signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> => {
    if (child === null || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const exit = once(child, 'exit');
    child.kill(signal);
    return ((await exit) as [number | null])[0];
  };
  const remove = async (): Promise<void> => {
    await end('SIGTERM');
    for (const { pid } of processesBelow(dir)) process.kill(pid, 'SIGKILL');
    await rm(dir, { recursive: true, force: true });
  };
  try {
    await begin(args);
  } catch (error) {
    await remove();
    throw error;
  }
  return {
    folder,
    state,
    get pid() {
      return child?.pid ?? 0;
    },
    output: () => output,
    link: (person) => {
      const links = [...output.matchAll(new RegExp(`^ +${person} +(http://\\S+)`, 'gm'))];
      return links.at(-1)?.[1] ?? '';
    },
    says: async (text, from = output.length) =>
      void (await until(`svc dev says ${String(text)}`, () => {
        const said = output.slice(from);
        return typeof text === 'string' ? said.includes(text) : text.test(said);
      }).catch((error: unknown) => {
        throw new Error(`${(error as Error).message}\n${output}`, { cause: error });
      })),
    edit: async (file, change) => {
      const from = output.length;
      await writeFile(join(folder, file), change(await readFile(join(folder, file), 'utf8')));
      return from;
    },
    end,
    again: (more = args) => begin(more),
    remove,
  };
}
