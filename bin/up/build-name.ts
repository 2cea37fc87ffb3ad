/** Which build of svc this is, for people: two of one version differ in the digest of their sources. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import about from '../../package.json' with { type: 'json' };
import { aboutBuild } from '../about-build.ts';
import { inputsFile, type Inputs } from '../bundled/start.ts';

let named: string | undefined;

/** Read once: what runs does not change when a file does. */
export const buildName = (): string => (named ??= aboutBuild()?.name ?? nameOf(path.resolve(import.meta.dirname, '../..')));

function nameOf(root: string): string {
  try {
    const { inputs } = JSON.parse(readFileSync(path.join(root, inputsFile), 'utf8')) as Inputs;
    const digest = createHash('sha256');
    // Sorted: a build lists what it read as it came to it.
    const files = inputs.map(([file]) => file).toSorted();
    for (const file of files) digest.update(file).update(readFileSync(path.join(root, file)));
    return `${about.version}+${digest.digest('hex').slice(0, 8)}`;
  } catch {
    // Only the version is known of a tree that was never set up, or is being changed.
    return about.version;
  }
}
