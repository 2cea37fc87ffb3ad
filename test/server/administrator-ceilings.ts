/** Ceilings of the Portal document (`spec.resources`), as the kernel of the server holds them for the app `guloso`. */
import path from 'node:path';
import { expect } from 'vitest';
import type { Machine } from './machine.ts';

const resources = '{ ceiling: { memoryMax: 128M, cpuQuota: 40% }, person: { memoryMax: 256M, tasksMax: "90", cpuQuota: 60% } }';

const mib = (count: number): string => String(count * 1_024 * 1_024);

interface Site {
  readonly machine: Machine;
  /** The Portal document, on one line. */
  readonly portal: string;
  readonly write: (portal: string) => void;
  readonly svc: (...args: readonly string[]) => Promise<{ readonly code: number }>;
  /** Of the app, once it runs. */
  readonly pid: () => Promise<number>;
}

export async function expectCeilings({ machine, portal, write, svc, pid }: Site): Promise<void> {
  /** The scope of the app that was started under this document. */
  const scopeUnder = async (document: string): Promise<string> => {
    write(document);
    expect([(await svc('apply')).code, (await svc('restart', 'ana/guloso')).code]).toEqual([0, 0]);
    return await machine.ok('root', `sed -n 's/^0:://p' /proc/${await pid()}/cgroup`);
  };
  const read = (folder: string): Promise<string> =>
    machine.ok('root', `cd /sys/fs/cgroup${folder} && cat memory.max memory.high pids.max cpu.max`);
  const scope = await scopeUnder(portal.replace(/ }$/, `, resources: ${resources} }`));
  expect(scope).toMatch(/\/svc\.slice\/svc-app-guloso-[^/]*\.scope$/);
  // Tasks are the manifest's own.
  expect(await read(scope)).toBe([mib(128), mib(128), '48', '40000 100000'].join('\n'));
  expect(await read(path.dirname(scope))).toBe([mib(256), 'max', '90', '60000 100000'].join('\n'));
  const told = JSON.parse(await machine.ok('root', 'cat /home/ana/.svc-apps/guloso/limits.json')) as object;
  expect(told).toMatchObject({ contained: true, reason: '' });
  // What the documents say no longer holds from the next start on.
  const after = await scopeUnder(portal);
  expect(after).not.toContain('svc.slice');
  expect(await machine.ok('root', `cat /sys/fs/cgroup${after}/memory.max`)).toBe(mib(192));
}
