/** A throw-away worktree of the last commit, in which faults are planted and tests run. */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { withFault, type Plant } from './table.ts';

const root = resolve(import.meta.dirname, '../..');

export interface Ended {
  /** Null: it was ended since its time was over. */
  readonly code: number | null;
  readonly output: string;
}

export interface Tree {
  readonly folder: string;
  /** Runs a command of node_modules/.bin, or of the system, in the folder. */
  run(argv: readonly string[], msMax: number): Promise<Ended>;
  /** Answers how to take the fault out again. */
  plant(row: Plant): () => void;
  remove(): void;
}

/** With the packages of this tree. The bundles are built by the caller. */
export function makeTree(): Tree {
  const above = mkdtempSync(join(tmpdir(), 'svc-plants-'));
  // Tests run programs of it as other accounts.
  chmodSync(above, 0o755);
  const folder = join(above, 'tree');
  execFileSync('git', ['worktree', 'add', '--detach', folder, 'HEAD'], { cwd: root, stdio: 'ignore' });
  try {
    execFileSync('cp', ['-al', join(root, 'node_modules'), folder], { stdio: 'ignore' });
  } catch {
    // The folder for temporary files is another disk.
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  }
  return {
    folder,
    run: (argv, msMax) => runIn(folder, argv, msMax),
    plant: (row) => {
      const file = join(folder, row.file);
      const text = readFileSync(file, 'utf8');
      writeFileSync(file, withFault(text, row));
      return () => writeFileSync(file, text);
    },
    remove: () => {
      execFileSync('git', ['worktree', 'remove', '--force', folder], { cwd: root });
      rmSync(above, { recursive: true, force: true });
    },
  };
}

function runIn(folder: string, [command = '', ...args]: readonly string[], msMax: number): Promise<Ended> {
  const env = { ...process.env, PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}`, SHLVL: '2' };
  // A group of its own: what tests started ends with them.
  const child = spawn(command, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const endGroup = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL');
    } catch {
      // All of it is over.
    }
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup();
  }, msMax);
  process.once('exit', endGroup);
  return new Promise((done, fail) => {
    child.once('error', fail).once('close', (code) => {
      clearTimeout(timer);
      process.off('exit', endGroup);
      done({ code: isLate ? null : code, output });
    });
  });
}
