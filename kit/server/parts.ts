/** The programs of a server kit, and where its files are: what those who make it and those who read it both know. */
import { writeHeader } from '../archive/header.ts';

/**
 * The programs of a server kit: one row each. setup/build.ts makes their bundles, pack.ts puts all of them into the tarball, and the trial on a
 * server starts each command. An entry with a `command` has a shim of that name in bin/ which answers `--version`.
 */
export interface KitProgram {
  readonly entry: string;
  /** Below build/kit, here and in the kit. A `.cjs` file is built as a program that stays (setup/build.ts). */
  readonly bundle: string;
  /** Null: started by another program only. */
  readonly command: string | null;
}

export const kitPrograms: readonly KitProgram[] = [
  { entry: 'kit/launch/main.ts', bundle: 'svc-app-run.mjs', command: 'svc-app-run' },
  { entry: 'kit/supervise/main.ts', bundle: 'svc-app-supervisor.cjs', command: 'svc-app-supervisor' },
  { entry: 'kit/install/main.ts', bundle: 'svc-app-install.mjs', command: 'svc-app-install' },
  { entry: 'kit/install/unpack-main.ts', bundle: 'svc-app-unpack.mjs', command: null },
  { entry: 'kit/service/main.ts', bundle: 'svc-app-serve.mjs', command: 'svc-app-serve' },
  { entry: 'kit/list/main.ts', bundle: 'svc-app-list.mjs', command: 'svc-app-list' },
  { entry: 'kit/launch/gpu-info.ts', bundle: 'svc-gpu-info.mjs', command: 'svc-gpu-info' },
];

/** As `uname -m` says it, and as npm does. */
export const kitProcessors = { x86_64: 'x64', aarch64: 'arm64' } as const;
export type KitProcessor = keyof typeof kitProcessors;

/** svc-wrap, the one program of a kit that is not the same for each processor; setup/wrap.ts makes it. In the kit it is bin/svc-wrap. */
export const wrapperCommand = 'svc-wrap';
export const wrapperPath = (processor: KitProcessor): string => `build/kit/wrap/${processor}/svc-wrap`;

/** Folder of the tarballs, from the root of an installation of svc. */
export const kitsFolder = 'build/server-kit';

/** In the kit, and in a package of svc. */
export const runtimePath = 'node/bin/node';

/** The tarball begins with it; the bytes and their padding follow. */
export const headOfRuntime = (bytes: number): readonly Buffer[] => [
  writeHeader({ name: 'svc/', bytes: 0, executable: false }),
  writeHeader({ name: `svc/${runtimePath}`, bytes, executable: true }),
];

/** The record of a tarball; `build/server-kit/<processor>.json` holds it. */
export interface KitRecord {
  /** `VERSION-HASH`: the folder below /opt/svc; another content is another id. */
  readonly id: string;
  /** Name of the tarball, beside the record. */
  readonly file: string;
  /** Hex, of the tarball. */
  readonly sha256: string;
  readonly bytes: number;
  /**
   * The first part of the tarball is the runtime: what it was made from, its digest, and how long that part is. 0 in a package of svc, whose
   * portal makes it of its own runtime (made.ts).
   */
  readonly runtime: { readonly stamp: string; readonly sha256: string; readonly bytes: number };
}

/** Null for a text that is no such record. */
export function readKitRecord(text: string): KitRecord | null {
  try {
    const record = JSON.parse(text) as Partial<KitRecord>;
    const { id, file, sha256, bytes, runtime } = record;
    const isRight =
      typeof id === 'string' &&
      typeof file === 'string' &&
      /^[0-9A-Za-z._-]+\.tgz$/.test(file) &&
      typeof sha256 === 'string' &&
      typeof bytes === 'number' &&
      typeof runtime?.stamp === 'string' &&
      typeof runtime.sha256 === 'string' &&
      typeof runtime.bytes === 'number';
    return isRight ? { id, file, sha256, bytes, runtime } : null;
  } catch {
    return null;
  }
}
