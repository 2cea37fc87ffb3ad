/**
 * svc-wrap for servers (kit/wrap/*.c), for each processor: a static program of Debian's compilers, so that it runs on any Linux of that processor. The
 * same sources and compiler give the same bytes. Without a compiler of one processor, what an earlier build made of the same sources stays; else the
 * kit of that processor comes without it, and says so. Decision: docs/decisions/0432-how-svc-wrap-is-built.md
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { kitVersion } from '../schema/supervisor-protocol.ts';
import { kitProcessors, wrapperPath, type KitProcessor } from '../kit/server/parts.ts';

const run = promisify(execFile);

/** The packages of Debian that bring each compiler with its library. */
const packages: Readonly<Record<KitProcessor, string>> =
  process.arch === 'arm64'
    ? { aarch64: 'gcc libc6-dev', x86_64: 'gcc-x86-64-linux-gnu libc6-dev-amd64-cross' }
    : { x86_64: 'gcc libc6-dev', aarch64: 'gcc-aarch64-linux-gnu libc6-dev-arm64-cross' };

const flags = [
  '-std=c11',
  '-Os',
  '-static',
  '-s',
  '-Wall',
  '-Wextra',
  '-Werror',
  '-fstack-protector-strong',
  '-D_FORTIFY_SOURCE=2',
  '-ffunction-sections',
  '-Wl,--gc-sections,--build-id=none,-z,noexecstack,-z,relro,-z,now',
];

/** Makes the program of each processor, if its sources or the compiler changed; answers those that are there. */
export async function makeWrappers(root: string, compilerOf = compilerOfDebian): Promise<readonly KitProcessor[]> {
  const folder = path.join(root, 'kit/wrap');
  const names = (await readdir(folder)).filter((name) => /\.[ch]$/.test(name)).toSorted();
  const sources = await Promise.all(names.map((name) => readFile(path.join(folder, name))));
  const digest = createHash('sha256');
  for (const part of [kitVersion, ...flags, ...names, ...sources]) digest.update(part).update('\0');
  const made: KitProcessor[] = [];
  const sum = digest.digest('hex');
  for (const processor of Object.keys(kitProcessors) as KitProcessor[]) {
    const out = path.join(root, wrapperPath(processor));
    const units = names.filter((name) => name.endsWith('.c'));
    if (await makeWrapper(folder, units, { compiler: compilerOf(processor), out, sum })) made.push(processor);
    else console.warn(`setup: no svc-wrap for ${processor}: it needs the Debian packages ${packages[processor]}`);
  }
  return made;
}

const compilerOfDebian = (processor: KitProcessor): string => `${processor}-linux-gnu-gcc`;

interface Target {
  readonly compiler: string;
  readonly out: string;
  /** Digest of the sources and flags, without the compiler. */
  readonly sum: string;
}

async function makeWrapper(folder: string, units: readonly string[], { compiler, out, sum }: Target): Promise<boolean> {
  const version = await run(compiler, ['--version']).then(
    ({ stdout }) => stdout.split('\n', 1)[0] ?? '',
    () => null,
  );
  const before = await readFile(`${out}.made`, 'utf8').catch(() => '');
  if (before.startsWith(`${sum}\n`) && (version === null || before === `${sum}\n${version}\n`)) return true;
  if (version === null) {
    // Made from other sources: a wrapper of another version fails the kit's trial.
    await rm(out, { force: true });
    return false;
  }
  await mkdir(path.dirname(out), { recursive: true });
  const temporary = `${out}.${process.pid}.tmp`;
  try {
    await run(compiler, [...flags, `-DSVC_WRAP_VERSION="${kitVersion}"`, ...units, '-o', temporary], { cwd: folder });
  } catch (error) {
    // A compiler without its library, as a rule: no reason for a portal not to start.
    console.warn(String((error as { readonly stderr?: string }).stderr ?? error).trim());
    await rm(out, { force: true });
    return false;
  }
  await rename(temporary, out);
  await writeFile(`${out}.made`, `${sum}\n${version}\n`);
  return true;
}
