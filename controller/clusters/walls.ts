/**
 * The view of a job of the local cluster behind bubblewrap: a list of the paths that are shown, never of those that are hidden, so that the
 * home of a person and the folder of the jobs stay outside wherever they are. Decision: docs/decisions/0385-what-a-confined-job-sees.md
 */
import { readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isAbsentOrClosed } from '../../schema/system-error.ts';

/** Programs, their libraries and their settings. */
const places = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt',
  '/sys',
  '/nix/store',
  '/gnu/store',
  '/var/cache/fontconfig',
  '/var/lib/texmf',
] as const;

/** The job has its own there: nothing of the machine's is shown, whoever names it. */
const ownPlaces = ['/dev', '/proc', '/tmp'] as const;

/** Below it accounts are the system's own, whose homes are folders of programs; so is 65534, which is nobody. */
const personUidMin = 1_000;
const nobodyUid = 65_534;

export interface WallsWish {
  /** Absolute, the one folder that the job writes in. */
  readonly work: string;
  /** Folders that exist and that no job sees anything of, whatever shows them: those of the portal and of the jobs. */
  readonly hidden: readonly string[];
  /** Hidden where they lie below a place that is shown, as the homes are that /etc/passwd names. */
  readonly homes: readonly string[];
  /** Folders that the administrator shows besides. */
  readonly readable: readonly string[];
  /** For files in memory, all together. Null: bubblewrap here can't bound them, and they are on disk instead, in `tmp` and `shm` beside the work folder. */
  readonly memoryMb: number | null;
}

/** The words before a command. The network is the machine's. */
export async function wallsOf(wish: WallsWish): Promise<readonly string[]> {
  const { work, memoryMb } = wish;
  const mounts = await mountsOf(wish);
  const empty = mounts.flatMap(([word, folder]) => (word === '--tmpfs' ? [folder] : []));
  const small = memoryMb === null ? [] : ['--size', '65536'];
  const words: readonly (readonly string[])[] = [
    ['bwrap', '--die-with-parent', '--unshare-pid', '--unshare-ipc', '--new-session'],
    ...mounts.flatMap((mount) => (mount[0] === '--tmpfs' ? [small, mount] : [mount])),
    ['--dev', '/dev', '--proc', '/proc'],
    memoryFiles(wish),
    ...['/home', '/root', '/run'].map((folder) => ['--dir', folder]),
    await nameServers(),
    ['--bind', work, work],
    // Their remaining space is memory that nothing bounds.
    ...[...empty, '/dev', '/'].map((folder) => ['--remount-ro', folder]),
    ['--setenv', 'HOME', work, '--chdir', work],
  ];
  return words.flat();
}

/** Half of the memory of the job for each of the two places. */
function memoryFiles({ work, memoryMb }: WallsWish): readonly string[] {
  const beside = (name: string): string => path.join(path.dirname(work), name);
  if (memoryMb === null) return ['--bind', beside('tmp'), '/tmp', '--bind', beside('shm'), '/dev/shm'];
  return ['/tmp', '/dev/shm'].flatMap((folder) => ['--size', String(memoryMb * 524_288), '--tmpfs', folder]);
}

type Mount = readonly [word: '--ro-bind-try' | '--tmpfs' | '--symlink', ...paths: readonly [string, ...string[]]];

const isBelow = (folder: string, above: string): boolean => folder.startsWith(above === '/' ? '/' : `${above}/`);

/** Folders above others come first. */
async function mountsOf({ hidden, homes, readable }: WallsWish): Promise<readonly Mount[]> {
  const named = await realsOf(readable);
  const secret = await realsOf(hidden);
  const real = new Set([...(await realsOf(places)), ...named]);
  const isOver = (above: readonly string[], folder: string): boolean => above.some((one) => folder === one || isBelow(folder, one));
  const open = [...real].filter((folder) => !isOver([...secret, ...ownPlaces], folder));
  const people = (await realsOf([...homes, ...(await homesOfPeople())])).filter((home) => !named.includes(home));
  const isShown = (folder: string): boolean => open.some((one) => isBelow(folder, one)) && !isOver(ownPlaces, folder);
  // Where the machine's own would be seen it is empty; else it is another name of /tmp.
  const empty = [...new Set([...secret, ...people, '/var/tmp'])].filter(isShown);
  // A folder that another mount shows already is bound again only where an empty folder would cover it.
  const bound = open.filter((folder) => !isShown(folder) || empty.some((one) => isBelow(folder, one)));
  const mounts: readonly Mount[] = [
    ...bound.map((folder): Mount => ['--ro-bind-try', folder, folder]),
    ...empty.map((folder): Mount => ['--tmpfs', folder]),
  ];
  const links: readonly Mount[] = [...(await linksOf([...places, ...readable])), ['--symlink', '/tmp', '/var/tmp']];
  return [...mounts.toSorted(([, a], [, b]) => a.length - b.length), ...links.filter(([, , at = '']) => !isShown(at))];
}

/** A place that is a link to another one, as /bin is to /usr/bin, stays a link: what is hidden there is hidden under both names. */
async function linksOf(folders: readonly string[]): Promise<readonly Mount[]> {
  const found = await Promise.all(folders.map(async (folder) => [folder, await realOf(folder)] as const));
  return found.flatMap(([folder, real]): Mount[] => (real === null || real === folder ? [] : [['--symlink', real, folder]]));
}

const realsOf = async (folders: readonly string[]): Promise<readonly string[]> =>
  (await Promise.all(folders.map(realOf))).filter((folder) => folder !== null);

/** Null: nothing is there, or this account can't come to it, which the job runs as, too. Rejects with any other error: what is to be hidden would be shown. */
const realOf = async (folder: string): Promise<string | null> =>
  await realpath(folder).catch((error: unknown) => {
    if (isAbsentOrClosed(error)) return null;
    throw error;
  });

async function homesOfPeople(): Promise<readonly string[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  return lines.flatMap(([, , uid = '', , , home = '']) =>
    /^\d+$/.test(uid) && Number(uid) >= personUidMin && Number(uid) !== nobodyUid && path.isAbsolute(home) ? [home] : [],
  );
}

/** The file alone, since its folder may hold sockets. */
async function nameServers(): Promise<readonly string[]> {
  const file = await realOf('/etc/resolv.conf');
  return file?.startsWith('/run/') === true ? ['--ro-bind-try', file, file] : [];
}
