/**
 * Where the bundle of the commands begins (setup/build-commands.ts writes it): it runs only while every file that it was made of is as it
 * was, and otherwise the sources run, which are the same commands, only slower. So an edit or a pull never leaves old code running.
 * Decision: docs/decisions/0171-one-bundle-of-the-commands.md
 */
import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export const bundleDir = 'build/bin';
export const inputsFile = `${bundleDir}/inputs.json`;

/** Commands that are a file of their own, each with what it was made of: one file starts in three quarters of the time of forty chunks. */
export const quickCommands: readonly string[] = ['validate', 'get', 'events', 'help'];
export const quickFile = (command: string): string => `quick/${command}.mjs`;
export const quickInputs = (command: string): string => `quick/${command}.json`;

/** Files that a build read, by path from the root of the repository, and the files it wrote into its folder. */
export interface Inputs {
  readonly inputs: readonly (readonly [path: string, bytes: number, mtimeMs: number])[];
  readonly outputs: readonly string[];
}

const root = resolve(import.meta.dirname, '../..');

/**
 * `svc`. Stacks name the sources with SVC_DEBUG only: the map of a chunk is read at the first stack, stops the loop meanwhile, and stays: 27 MB of a portal.
 * The files of their own have no maps.
 */
export async function startSvc(load: () => Promise<unknown>): Promise<void> {
  const command = process.argv[2] ?? '';
  const isQuick = quickCommands.includes(command) && process.env['SVC_DEBUG'] === undefined;
  if (isQuick && isCurrent(root, join(bundleDir, quickInputs(command))))
    await import(pathToFileURL(join(root, bundleDir, quickFile(command))).href);
  else await start('svc-main', load);
}

export async function start(program: string, load: () => Promise<unknown>): Promise<void> {
  if (isCurrent(root)) {
    if (process.env['SVC_DEBUG'] !== undefined) process.setSourceMapsEnabled(true);
    await load();
  } else await import(pathToFileURL(join(root, 'bin', `${program}.ts`)).href);
}

export function isCurrent(folder: string, list = inputsFile): boolean {
  try {
    const { inputs } = JSON.parse(readFileSync(join(folder, list), 'utf8')) as Inputs;
    return inputs.every(([path, bytes, mtimeMs]) => {
      const now = statSync(`${folder}/${path}`);
      return now.size === bytes && now.mtimeMs === mtimeMs;
    });
  } catch {
    return false;
  }
}
