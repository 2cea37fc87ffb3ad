/** The portal of a `svc dev` that runs, found from where a person stands: `svc link`, `svc logs` and the rest need no `--state` beside it. */
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { writeFileAtomic } from '../../kit/atomic-file.ts';
import { devStates } from './options.ts';
import { readPlainFileSync } from '../../schema/plain-file.ts';

export interface RunningDev {
  readonly state: string;
  /** Folder of the app. */
  readonly folder: string;
}

const folderFile = 'folder';

export function keepFolder(state: string, folder: string): void {
  writeFileAtomic(path.join(state, folderFile), folder, { mode: 0o600 });
}

/** Finds the run of an app whose folder is `cwd`, above or below it; the nearest. Null: none, or several that are as near. */
export function runningDev(cwd: string, env: Readonly<Record<string, string | undefined>>): RunningDev | null {
  const here = realpathSync(cwd);
  const found = all(devStates(env))
    .map((dev) => ({ dev, steps: stepsBetween(here, dev.folder) }))
    .filter(({ steps }) => steps !== null)
    .toSorted((one, other) => (one.steps ?? 0) - (other.steps ?? 0));
  const [first, second] = found;
  return first === undefined || first.steps === second?.steps ? null : first.dev;
}

function all(root: string): readonly RunningDev[] {
  const states = existsSync(root) ? readdirSync(root).map((name) => path.join(root, name)) : [];
  return states.flatMap((state) => {
    const folder = textAt(path.join(state, folderFile));
    return folder !== null && existsSync(path.join(state, 'svc.sock')) && isAlive(textAt(path.join(state, 'pid')))
      ? [{ state, folder }]
      : [];
  });
}

function stepsBetween(here: string, folder: string): number | null {
  const [above, below] = [path.relative(folder, here), path.relative(here, folder)];
  const way = [above, below].find((one) => one !== '..' && !one.startsWith('../'));
  return way === undefined ? null : way === '' ? 0 : way.split('/').length;
}

function textAt(file: string): string | null {
  try {
    return String(readPlainFileSync(file)).trim();
  } catch {
    return null;
  }
}

const isAlive = (pid: string | null): boolean => pid !== null && /^\d+$/.test(pid) && existsSync(`/proc/${pid}`);
