/**
 * A program of the tests: `swap-source.ts PLACE CANARY` makes PLACE/app, a package that is its own to change, and then exchanges its files and
 * folders for links to those of CANARY and back, without end; what was taken from it is made again. Started as an ordinary account. Prints `ready`; at SIGTERM the count of its swaps.
 */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { canaryFiles, canaryFolders, harmless } from './canary.ts';

const [place = '', canary = ''] = process.argv.slice(2);
const app = join(place, 'app');
const bench = join(place, 'bench');
let swaps = 0;

function build(): void {
  for (const folder of [app, bench]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
  }
  const manifest = { id: 'notas', version: '1.0.0', backend: { runtime: 'python3', entrypoint: 'main.py' } };
  writeFileSync(join(app, 'svc-app.json'), JSON.stringify(manifest));
  writeFileSync(join(app, 'main.py'), 'pass\n');
  for (const file of canaryFiles) {
    mkdirSync(dirname(join(app, file)), { recursive: true });
    writeFileSync(join(app, file), harmless);
  }
}

/** Names that are away from their place because the other side closed the folder in between. */
const away = new Set<string>();
const keptAt = (name: string): string => join(bench, `kept-${name.replaceAll('/', '-')}`);

function tried(act: () => void): boolean {
  try {
    act();
    return true;
  } catch {
    return false;
  }
}

/** There and back: the name leads to the canary for a moment. */
function exchange(name: string): void {
  const at = join(app, name);
  const link = join(bench, 'link');
  tried(() => symlinkSync(join(canary, name), link));
  if (!tried(() => renameSync(at, keptAt(name)))) return;
  away.add(name);
  if (tried(() => renameSync(link, at))) swaps += 1;
  putBack(name);
}

function putBack(name: string): void {
  const at = join(app, name);
  // Over a folder only a folder can be renamed, over a link neither.
  tried(() => unlinkSync(at));
  if (tried(() => renameSync(keptAt(name), at))) away.delete(name);
}

process.on('SIGTERM', () => {
  process.stdout.write(`${swaps}\n`, () => process.exit(0));
});
build();
process.stdout.write('ready\n');
const names = [...canaryFolders, ...canaryFiles];
let next = 0;
(function round(): void {
  for (const name of away) putBack(name);
  if (!existsSync(join(app, 'main.py')) || canaryFolders.some((name) => !existsSync(join(app, name)))) {
    away.clear();
    tried(build);
  }
  for (let count = 0; count < 20; count += 1) exchange(names[(next = (next + 7) % names.length)] as string);
  setImmediate(round);
})();
