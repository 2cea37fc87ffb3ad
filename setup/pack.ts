/**
 * `npm run pack`: the portal as it is installed, as Debian packages (build/pack/svc_VERSION_ARCH.deb, for each processor whose Node is here) and as
 * a tarball (svc_VERSION_linux-ARCH.tar.gz, for this one): its sources without tests, the bundles, the npm packages that run (package-lock.json says
 * which), its own Node, and the kits for servers. Nothing in it is written at run time. The same tree gives the same bytes.
 * Decisions: docs/decisions/0327-what-is-shipped.md, 0397-a-debian-package.md
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
import { makeServerKits } from '../kit/server/pack.ts';
import { kitsFolder } from '../kit/server/parts.ts';
import { makeDeb } from './deb.ts';

const root = path.resolve(import.meta.dirname, '..');

/** Folders of what runs, of what commands copy from, and of what people read. */
const folders = ['api', 'bin', 'controller', 'docs', 'examples', 'kit', 'machines', 'reconcilers', 'schema', 'sdk', 'store'] as const;
const built = ['create', 'kit', 'packages', 'sdk', 'shell'] as const;
const files = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'] as const;

/** A file or folder of these names is left out. */
const leftOut: readonly RegExp[] = [
  /\.test\.ts$/,
  /^testing$/,
  /^__pycache__$/,
  /^node_modules$/,
  /^faults$/,
  /^screenshots$/,
  /\.tmp$/,
  /^\.make-/,
];
/** Files of npm packages that no program reads, and the packages in a package, which have entries of their own. */
const leftOutOfPackages: readonly RegExp[] = [/\.d\.[cm]?ts$/, /\.map$/, /^node_modules$/];

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

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly optional?: boolean; readonly devOptional?: boolean }>>;
}

/** The packages that `npm ci --omit=dev --omit=optional` would install, from those installed here: no network. */
function packages(): readonly Shipped[] {
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock;
  return Object.entries(lock.packages)
    .filter(([at, { dev, optional, devOptional }]) => at !== '' && !dev && !optional && !devOptional)
    .flatMap(([at]) => below(at, leftOutOfPackages));
}

/** For the processors whose runtime is here (npm brings this machine's): the tarballs for servers, and the records of them. */
async function kits(): Promise<readonly Shipped[]> {
  const made = await makeServerKits(root);
  const names = [...made.map(({ file }) => file), ...readdirSync(path.join(root, kitsFolder)).filter((name) => name.endsWith('.json'))];
  return names.map((name) => path.join(kitsFolder, name)).map((at) => ({ from: at, to: at }));
}

// A package runs its bundles, and only bundles of the very sources know the kits that are made of them.
if (!isCurrent(root)) throw new Error('the bundles are not of these sources; make them with:  node setup/build.ts');

const listsOfBundles = [inputsFile, ...quickCommands.map((command) => path.join(bundleDir, quickInputs(command)))];

/** Bundles of the last build only: chunks of the one before are kept for commands that are just starting. */
function bundles(): readonly Shipped[] {
  const { outputs } = JSON.parse(readFileSync(path.join(root, inputsFile), 'utf8')) as Inputs;
  const all = new Set([...outputs.map((file) => path.join(bundleDir, file)), ...listsOfBundles]);
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

async function shipped(): Promise<readonly Shipped[]> {
  return [
    ...files.map((name) => ({ from: name, to: name })),
    ...folders.flatMap((folder) => below(folder, leftOut)),
    ...built.flatMap((folder) => below(`build/${folder}`, leftOut)),
    ...(await kits()),
    ...bundles(),
    ...packages(),
    { from: runtimeOf(process.arch), to: 'node/bin/node' },
  ];
}

/** Stamp of the files, by times and sizes: a tarball of the same ones is not made again. */
function stampOf(all: readonly Shipped[], build: AboutBuild): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([build, processors]))
    .update(readFileSync(import.meta.filename));
  for (const own of [
    'setup/deb.ts',
    'setup/man-page.ts',
    ...below('setup/deb', [])
      .map(({ from }) => from)
      .toSorted(),
  ])
    hash.update(readFileSync(path.join(root, own)));
  for (const { from, to } of all) {
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
  await freezeBundles(folder);
  await writeFile(path.join(folder, aboutBuildFile), `${JSON.stringify(build)}\n`);
}

/** Makes a package for each processor; the tree is that of this machine's afterwards. Resolves to their paths. */
async function makeDebs(tree: string, work: string): Promise<readonly string[]> {
  const node = path.join(tree, 'node/bin/node');
  const epoch = Number(told('log', '-1', '--format=%ct') ?? 0);
  const made: string[] = [];
  for (const processor of processors) {
    await copyFile(path.join(root, runtimeOf(processor)), node, constants.COPYFILE_FICLONE);
    made.push(
      await makeDeb({ tree, work: path.join(work, 'deb'), out, version: about.version, processor, epoch, level: isForTests ? 1 : 5 }),
    );
  }
  return made;
}

/** Resolves to the paths of what was made, the tarball last. */
async function pack(): Promise<readonly string[]> {
  const all = await shipped();
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
    await stage(all, tree, build);
    const files = [...(await makeDebs(tree, work)), tarball];
    await packFolder(tree, { root: `svc-${about.version}`, out: path.join(work, 'tarball'), limits, level: isForTests ? 1 : 6 });
    await rename(path.join(work, 'tarball'), tarball);
    await writeFile(madeFile, JSON.stringify({ stamp, files } satisfies Made));
    return files;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface Made {
  readonly stamp: string;
  readonly files: readonly string[];
}

for (const file of await pack()) console.log(file);
