/**
 * Loaded into the installer by its tests (`node --import`): every call that changes the file system is a step, so that a test can
 * kill it, or fill its disk, at each of them, and none is forgotten because nobody placed a fault point there.
 * SVC_TEST_STEPS=FILE writes one line for each step; SVC_TEST_STEP=`N:kill` dies at step N with the step half done;
 * `N:fill:FOLDER` fills the file system of the folder before it.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

type Call = (...args: unknown[]) => unknown;

const real = { ...fs };
const listFile = process.env['SVC_TEST_STEPS'] ?? '';
const [wantedStep = '', act = '', folder = ''] = (process.env['SVC_TEST_STEP'] ?? '').split(':');
const list = listFile === '' ? null : real.openSync(listFile, 'a');
let count = 0;

/** Every byte and every inode of the file system of the folder. */
function fillDisk(): void {
  const block = Buffer.alloc(4_096);
  const full = (act: () => void): void => {
    for (;;) {
      try {
        act();
      } catch {
        return;
      }
    }
  };
  const fd = real.openSync(`${folder}/.filled`, 'w');
  full(() => real.writeSync(fd, block));
  real.closeSync(fd);
  let files = 0;
  full(() => real.closeSync(real.openSync(`${folder}/.filled-${(files += 1)}`, 'w')));
}

function step(name: string, half: () => void): void {
  count += 1;
  if (list !== null) real.writeSync(list, `${name}\n`);
  if (count !== Number(wantedStep)) return;
  if (act === 'fill') {
    fillDisk();
    return;
  }
  try {
    half();
  } catch {
    // A call that can't be half done is not done at all.
  }
  process.kill(process.pid, 'SIGKILL');
}

/** The half-done form of each call, as a kill in the middle leaves it. */
const halves: Readonly<Record<string, Call>> = {
  write: (fd, bytes, offset = 0, length, position = null) => {
    const whole = Buffer.from(bytes as Uint8Array).subarray(
      Number(offset),
      length === undefined ? undefined : Number(offset) + Number(length),
    );
    real.writeSync(fd as number, whole, 0, whole.length >> 1, position as number | null);
  },
  copyFile: (from, to) => {
    const bytes = real.readFileSync(from as string);
    real.writeFileSync(to as string, bytes.subarray(0, bytes.length >> 1));
  },
  rm: (path) => {
    const first = (at: string): string => {
      const [name] = real.lstatSync(at).isDirectory() ? real.readdirSync(at) : [];
      return name === undefined ? at : first(join(at, name));
    };
    const leaf = first(path as string);
    if (real.lstatSync(leaf).isDirectory()) real.rmdirSync(leaf);
    else real.unlinkSync(leaf);
  },
};

const changes = (flags: unknown): boolean =>
  typeof flags === 'string'
    ? flags !== 'r'
    : ((typeof flags === 'number' ? flags : 0) & (fs.constants.O_WRONLY | fs.constants.O_RDWR | fs.constants.O_CREAT)) !== 0;

const names =
  'open write mkdir mkdtemp rm rmdir unlink rename symlink link copyFile writeFile appendFile chmod fchmod chown fchown fsync fdatasync ftruncate truncate utimes'.split(
    ' ',
  );

function watch(of: object, member: string, name: string, args: (own: unknown, given: unknown[]) => unknown[]): void {
  const owner = of as Record<string, unknown>;
  const before = owner[member];
  if (typeof before !== 'function') return;
  owner[member] = function watched(this: unknown, ...given: unknown[]): unknown {
    if (name !== 'open' || changes(given[1])) step(name, () => halves[name]?.(...args(this, given)));
    return (before as Call).apply(this, given);
  };
}

for (const name of names) {
  watch(fs, `${name}Sync`, name, (_, given) => given);
  watch(fs.promises, name, name, (_, given) => given);
}
const handle = await fs.promises.open('/dev/null', 'r');
const prototype = Object.getPrototypeOf(handle) as Record<string, unknown>;
await handle.close();
for (const name of ['write', 'writeFile', 'sync', 'datasync', 'chmod', 'chown', 'truncate'])
  watch(prototype, name, name, (own, given) => [(own as { readonly fd: number }).fd, ...given]);
syncBuiltinESMExports();
