/** Small file systems of a test's own: full, read-only or gone without harm to anybody else. Needs root. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { until } from './portal.ts';

const call = promisify(execFile);

export async function mountTmpfs(dir: string, options: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  await call('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', dir]).catch((error: unknown) => {
    const said = (error as { stderr?: string }).stderr ?? String(error);
    throw new Error(`this test needs a disk of its own and must mount it: run it as root, "sudo npm test" (${said.trim()})`, {
      cause: error,
    });
  });
}

export async function remount(dir: string, options: string): Promise<void> {
  await call('mount', ['-o', `remount,${options}`, dir]);
}

/** Resolves when nothing is mounted there any more; says what `umount` said when that does not come about. */
export async function unmount(dir: string): Promise<void> {
  let said = '';
  const isGone = async (): Promise<boolean> => {
    if (!mountPoints().includes(dir)) return true;
    await call('umount', ['-l', dir]).catch((error: unknown) => void (said = (error as { stderr?: string }).stderr ?? String(error)));
    return !mountPoints().includes(dir);
  };
  await until(`nothing to be mounted at ${dir}`, isGone, 20_000).catch((error: unknown) => {
    throw new Error(`${dir} stays mounted: ${said.trim()}`, { cause: error });
  });
}

/** Unmounts the leftovers of a killed test in its folder. */
export async function unmountBelow(dir: string): Promise<void> {
  for (const point of mountPoints().filter((each) => each.startsWith(`${dir}/`))) await unmount(point);
}

/** Paths without spaces and such, as tests make them. */
const mountPoints = (): readonly string[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');

/**
 * A btrfs of its own in `image`, mounted at `dir`, whose subvolume `s` has a quota: the one kind of quota that needs no more of a kernel than the
 * file system.
 */
export async function mountQuota(dir: string, image: string): Promise<void> {
  await mkdir(dir, { recursive: true });
  const steps = [
    ['truncate', '-s', '192M', image],
    ['mkfs.btrfs', '-q', image],
    ['mount', '-o', 'loop', image, dir],
    ['btrfs', 'quota', 'enable', dir],
    ['btrfs', 'subvolume', 'create', `${dir}/s`],
    ['chmod', '0777', `${dir}/s`],
  ] as const;
  for (const [program, ...words] of steps) await call(program, words);
}

/** Limits the quota at `dir`: leaves `bytes`; null: there is no limit. */
export function limitQuota(dir: string, bytes: number | null): void {
  const quota = (...words: readonly string[]): string => execFileSync('btrfs', ['qgroup', ...words], { encoding: 'utf8' });
  const used = bytes === null ? 0 : Number(/^0\/256\s+(\d+)/m.exec(quota('show', '--raw', '--sync', dir))?.[1]);
  quota('limit', bytes === null ? 'none' : String(used + bytes), '0/256', dir);
}

/** A FUSE file system whose server never answers: each call of the kernel on it waits. The end of the server fails them. */
export async function mountHung(dir: string): Promise<{ readonly stop: () => Promise<void> }> {
  await mkdir(dir, { recursive: true });
  const device = openSync('/dev/fuse', 'r+');
  const options = `fd=3,rootmode=40000,user_id=${process.getuid?.()},group_id=${process.getgid?.()}`;
  const { status, stderr } = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'hung', dir], {
    stdio: ['ignore', 'ignore', 'pipe', device],
    encoding: 'utf8',
  });
  if (status !== 0) {
    closeSync(device);
    throw new Error(`this test needs /dev/fuse and must mount it: run it as root (${stderr.trim()})`);
  }
  return {
    stop: async () => {
      closeSync(device);
      await unmount(dir);
    },
  };
}
