/** Links into the desktop: when the app has a window to open, and how who sits before the terminal asks for new ones. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Manifest } from '../../schema/manifest/manifest.ts';

/** An engine offers capabilities to other apps, and has a page only where its folder has one. */
export const hasPage = (manifest: Manifest, folder: string): boolean =>
  manifest.type !== 'engine' || existsSync(path.join(folder, 'frontend'));

/** Is this process the one that the terminal listens to? A read of any other one would stop it (SIGTTIN). */
function isInForeground(): boolean {
  try {
    const fields = readFileSync('/proc/self/stat', 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return fields[2] === fields[5];
  } catch {
    return false;
  }
}

/** Nothing without a terminal. Answers how to end it. */
export function onEnter(ask: () => void): () => void {
  const { stdin } = process;
  if (!stdin.isTTY || !isInForeground()) return () => undefined;
  const follow = (): void => void (isInForeground() ? stdin.resume() : stdin.pause());
  stdin.on('data', ask).on('error', () => undefined);
  process.on('SIGCONT', follow);
  return () => {
    process.off('SIGCONT', follow);
    stdin.off('data', ask).pause();
  };
}
