/**
 * `npm run pack`: the portal as it is installed, as Debian packages (build/pack/svc_VERSION_ARCH.deb, for each processor whose Node is here) and as
 * a tarball (svc_VERSION_linux-ARCH.tar.gz, for this one): its sources without tests, the bundles, the npm packages that run (package-lock.json says
 * which), its own Node, and the kit for servers around it; that for another processor is a package of its own. Nothing in it is written at run time. The same tree gives the same bytes.
 * Decisions: docs/decisions/0327-what-is-shipped.md, 0397-a-debian-package.md, 0445-the-size-of-the-package.md
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { constants, existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import about from '../package.json' with { type: 'json' };
import { aboutBuildFile, type AboutBuild } from '../bin/about-build.ts';
import { bundleDir, inputsFile, isCurrent, quickCommands, quickInputs, type Inputs } from '../bin/bundled/start.ts';
import { buildName } from '../bin/up/build-name.ts';
import { packFolder } from '../kit/archive/pack.ts';
import { makeKitAround, makeServerKits } from '../kit/server/pack.ts';
import { kitProcessors, kitsFolder, runtimePath, type KitProcessor } from '../kit/server/parts.ts';
import { makeDeb, makeKitDeb, type Processor } from './deb.ts';
import { loadedFiles, writeKubernetes } from './shipped-packages.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Folders of what runs, of what commands copy from, and of what people read. */
const folders = ['api', 'bin', 'controller', 'docs', 'examples', 'kit', 'machines', 'reconcilers', 'schema', 'sdk', 'store'] as const;
const built = ['create', 'kit', 'packages', 'sdk', 'shell'] as const;
const files = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'] as const;

/** A file or folder of these names is left out. */
const leftOut: readonly RegExp[] = [
  /\.test\.ts$/,
  /-contract\.ts$/,
  /\.map$/,
  /^testing$/,
  /^__pycache__$/,
  /^node_modules$/,
  /^faults$/,
  /^screenshots$/,
  /\.tmp$/,
  /^\.make-/,
];
const limits = { tarballBytesMax: 512 * 1024 ** 2, bytesMax: 1024 ** 3, entriesMax: 50_000 };

interface Shipped {
  /** Below the checkout. */
  readonly from: string;
  /** Below the root folder of the tarball. */
  readonly to: string;
}

/** The files of a folder. */
function below(folder: string, without: readonly RegExp[]): readonly Shipped[] {
  return readdirSync(path.join(root, folder), { withFileTypes: true })
    .filter(({ name }) => !without.some((pattern) => pattern.test(name)))
    .flatMap((entry) => {
      const at = path.join(folder, entry.name);
      if (entry.isDirectory()) return below(at, without);
      return entry.isFile() ? [{ from: at, to: at }] : [];
    });
}

const kitOf = Object.fromEntries(Object.entries(kitProcessors).map(([kit, processor]) => [processor, kit])) as Record<
  Processor,
  KitProcessor
>;

/** The kit for servers with another processor, whole: its files by their place in the tree. */
async function otherKit(processor: Processor): Promise<Readonly<Record<string, string>>> {
  const made = await makeServerKits(root);
  const names = [`${kitOf[processor]}.json`, ...made.flatMap(({ file }) => (file.endsWith(`-${kitOf[processor]}.tgz`) ? [file] : []))];
  return Object.fromEntries(names.map((name) => [path.join(kitsFolder, name), path.join(root, kitsFolder, name)]));
}

/** The kit for servers with the processor of a package, around the package's own runtime. */
async function writeOwnKit(tree: string, processor: Processor): Promise<void> {
  const runtime = createHash('sha256')
    .update(readFileSync(path.join(tree, runtimePath)))
    .digest('hex');
  await makeKitAround(root, kitOf[processor], runtime, path.join(tree, kitsFolder));
}

// A package runs its bundles, and only bundles of the very sources know the kits that are made of them.
if (!isCurrent(root)) throw new Error('the bundles are not of these sources; make them with:  node setup/build.ts');

const listsOfBundles = [inputsFile, ...quickCommands.map((command) => path.join(bundleDir, quickInputs(command)))];

/** Bundles of the last build only: chunks of the one before are kept for commands that are just starting. */
function bundles(): readonly Shipped[] {
  const { outputs } = JSON.parse(readFileSync(path.join(root, inputsFile), 'utf8')) as Inputs;
  const programs = outputs.filter((file) => !file.endsWith('.map')).map((file) => path.join(bundleDir, file));
  const all = new Set([...programs, ...listsOfBundles]);
  return [...all].map((at) => ({ from: at, to: at }));
}

const runtimeOf = (processor: string): string => `node_modules/node-linux-${processor}/bin/node`;
/** For the tests of what is shipped: the same files for this machine alone, compressed as little as can be, in a third of the time. */
const isForTests = process.argv.includes('--for-tests');
const out = path.join(root, isForTests ? 'build/journeys/pack' : 'build/pack');

/** Processors whose Node is here; npm brings this machine's, which comes last. */
const processors = (['x64', 'arm64'] as const)
  .filter((processor) => existsSync(path.join(root, runtimeOf(processor))) && (!isForTests || processor === process.arch))
  .toSorted((a, b) => Number(a === process.arch) - Number(b === process.arch));

const own = (): readonly Shipped[] => folders.flatMap((folder) => below(folder, leftOut));

/** Files of npm packages that these sources load; the other files say which. */
async function packages(): Promise<readonly Shipped[]> {
  const sources = own()
    .map(({ from }) => from)
    .filter((file) => /^(?!docs|examples|sdk)\w+\/.*\.ts$/.test(file) && !file.endsWith('.d.ts'));
  return (await loadedFiles(root, sources)).map((at) => ({ from: at, to: at }));
}

function shipped(): readonly Shipped[] {
  return [
    ...files.map((name) => ({ from: name, to: name })),
    ...own(),
    ...built.flatMap((folder) => below(`build/${folder}`, leftOut)),
    ...bundles(),
  ];
}

/** Stamp of the files, by times and sizes: a tarball of the same ones is not made again. */
function stampOf(all: readonly Shipped[], build: AboutBuild): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([build, processors]))
    .update(readFileSync(import.meta.filename));
  for (const file of [
    'setup/deb.ts',
    'setup/man-page.ts',
    'setup/shipped-packages.ts',
    'package-lock.json',
    'kit/server/pack.ts',
    ...below('setup/deb', [])
      .map(({ from }) => from)
      .toSorted(),
  ])
    hash.update(readFileSync(path.join(root, file)));
  for (const { from, to } of [...all, ...processors.map((processor) => ({ from: runtimeOf(processor), to: runtimePath }))]) {
    const { size, mtimeMs, ino } = lstatSync(path.join(root, from));
    hash.update(`${to}\0${size} ${mtimeMs} ${ino}\n`);
  }
  return hash.digest('hex');
}

/** Output of git; null where this is no clone. */
function told(...args: readonly string[]): string | null {
  try {
    return execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
}

/** The bundles run as they are: there are no sources that could have changed since (bin/bundled/start.ts). */
async function freezeBundles(folder: string): Promise<void> {
  for (const list of listsOfBundles) {
    const { outputs } = JSON.parse(readFileSync(path.join(folder, list), 'utf8')) as Inputs;
    await writeFile(path.join(folder, list), JSON.stringify({ inputs: [], outputs } satisfies Inputs));
  }
}

async function stage(all: readonly Shipped[], folder: string, build: AboutBuild): Promise<void> {
  for (const { from, to } of all) {
    const target = path.join(folder, to);
    await mkdir(path.dirname(target), { recursive: true });
    await copyFile(path.join(root, from), target, constants.COPYFILE_FICLONE);
  }
  await writeKubernetes(root, folder);
  await freezeBundles(folder);
  await writeFile(path.join(folder, aboutBuildFile), `${JSON.stringify(build)}\n`);
}

/** Puts the runtime into the tree, without its tables of symbols: nothing at run time reads them. */
async function putRuntime(tree: string, processor: Processor): Promise<void> {
  const target = path.join(tree, runtimePath);
  await mkdir(path.dirname(target), { recursive: true });
  await copyFile(path.join(root, runtimeOf(processor)), target, constants.COPYFILE_FICLONE);
  try {
    execFileSync(`${kitOf[processor]}-linux-gnu-strip`, ['--strip-all', target], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    console.error(`setup: no binutils for ${kitOf[processor]} here: its Node keeps its tables of symbols, 18 MB`);
  }
}

/** Makes the packages for each processor; the tree is that of this machine's afterwards. Resolves to their paths. */
async function makeDebs(tree: string, work: string): Promise<readonly string[]> {
  const common = {
    work: path.join(work, 'deb'),
    out,
    version: about.version,
    epoch: Number(told('log', '-1', '--format=%ct') ?? 0),
    level: isForTests ? 1 : 5,
  };
  const made: string[] = [];
  for (const processor of processors) {
    await rm(path.join(tree, kitsFolder), { recursive: true, force: true });
    await putRuntime(tree, processor);
    await writeOwnKit(tree, processor);
    made.push(await makeDeb({ ...common, tree, processor }));
    for (const servers of processors)
      if (servers !== processor) made.push(await makeKitDeb({ ...common, processor, servers, files: await otherKit(servers) }));
  }
  return made;
}

/** Resolves to the paths of what was made, the tarball last. */
async function pack(): Promise<readonly string[]> {
  const all = shipped();
  const build: AboutBuild = { commit: told('rev-parse', '--short=8', 'HEAD'), name: buildName() };
  const name = `svc_${about.version}_linux-${process.arch}`;
  const [tarball, madeFile] = [path.join(out, `${name}.tar.gz`), path.join(out, `${name}.json`)];
  const stamp = stampOf(all, build);
  const before = existsSync(madeFile) ? (JSON.parse(readFileSync(madeFile, 'utf8')) as Made) : null;
  if (before?.stamp === stamp && before.files.every((file) => existsSync(file))) return before.files;
  await rm(madeFile, { force: true });
  await mkdir(out, { recursive: true });
  const work = await mkdtemp(path.join(out, '.make-'));
  try {
    const tree = path.join(work, 'svc');
    await stage([...all, ...(await packages())], tree, build);
    const files = [...(await makeDebs(tree, work)), tarball];
    for (const other of processors) if (other !== process.arch) await putFiles(tree, await otherKit(other));
    await packFolder(tree, { root: `svc-${about.version}`, out: path.join(work, 'tarball'), limits, level: isForTests ? 1 : 6 });
    await rename(path.join(work, 'tarball'), tarball);
    await writeFile(madeFile, JSON.stringify({ stamp, files } satisfies Made));
    return files;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function putFiles(tree: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [to, from] of Object.entries(files)) await copyFile(from, path.join(tree, to), constants.COPYFILE_FICLONE);
}

interface Made {
  readonly stamp: string;
  readonly files: readonly string[];
}

for (const file of await pack()) console.log(file);
