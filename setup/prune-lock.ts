/**
 * `npm run lock`: rewrites package-lock.json and cuts the optional edges that have no entry (builds for platforms whose package could not
 * be fetched). With such an edge left in, `npm ci` refuses the whole file, although the part is not for this platform.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

interface Lock {
  readonly packages: Record<string, { optionalDependencies?: Record<string, string> }>;
}

const file = 'package-lock.json';
execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts'], { stdio: 'inherit' });
const lock = JSON.parse(readFileSync(file, 'utf8')) as Lock;
let cut = 0;
for (const [at, entry] of Object.entries(lock.packages)) {
  // The root's own edges are ours to keep whole: a missing one is a mistake in package.json.
  if (at === '' || entry.optionalDependencies === undefined) continue;
  for (const name of Object.keys(entry.optionalDependencies)) {
    if (`${at}/node_modules/${name}` in lock.packages || `node_modules/${name}` in lock.packages) continue;
    delete entry.optionalDependencies[name];
    cut += 1;
  }
}
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${file}: cut ${cut} optional edges without an entry`);
