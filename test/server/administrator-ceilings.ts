/** Ceilings of the Portal document (`spec.resources`), as the kernel of the server holds them for the app `guloso`. */
import path from 'node:path';
import type { Machine } from './machine.ts';

const resources = '{ ceiling: { memoryMax: 128M, cpuQuota: 40% }, person: { memoryMax: 256M, tasksMax: "90", cpuQuota: 60% } }';

const mib = (count: number): string => String(count * 1_024 * 1_024);

interface Site {
  readonly machine: Machine;
  /** The Portal document, on one line. */
  readonly portal: string;
  readonly write: (portal: string) => void;
  readonly svc: (...args: readonly string[]) => Promise<{ readonly code: number | null }>;
  /** Process id of the app, once it runs. */
  readonly pid: () => Promise<number>;
}

/** Memory of the scope and of the slice of the person, then of the scope once the documents say no more. */
export const ceilingsWanted = {
  codes: [0, 0, 0, 0],
  isInSlice: [true, false],
  // Tasks are the manifest's own.
  scope: [mib(128), mib(128), '48', '40000 100000'],
  slice: [mib(256), 'max', '90', '60000 100000'],
  unheld: '',
  after: [mib(192), 'max', '48', '80000 100000'],
};

export async function ceilingsSeen({ machine, portal, write, svc, pid }: Site): Promise<typeof ceilingsWanted> {
  const codes: number[] = [];
  /** The scope of the app that was started under this document. */
  const scopeUnder = async (document: string): Promise<string> => {
    write(document);
    for (const words of [['apply'], ['restart', 'ana/guloso']]) codes.push((await svc(...words)).code ?? -1);
    return await machine.ok('root', `sed -n 's/^0:://p' /proc/${await pid()}/cgroup`);
  };
  const isInSlice = (scope: string): boolean => /\/svc\.slice\/svc-app-guloso-[^/]*\.scope$/.test(scope);
  const read = async (folder: string): Promise<string[]> =>
    (await machine.ok('root', `cd /sys/fs/cgroup${folder} && cat memory.max memory.high pids.max cpu.max`)).split('\n');
  const within = await scopeUnder(portal.replace(/ }$/, `, resources: ${resources} }`));
  const [scope, slice] = [await read(within), await read(path.dirname(within))];
  const { reason } = JSON.parse(await machine.ok('root', 'cat /home/ana/.svc-apps/guloso/limits.json')) as { reason: string };
  const after = await scopeUnder(portal);
  return { codes, isInSlice: [within, after].map(isInSlice), scope, slice, unheld: reason, after: await read(after) };
}
