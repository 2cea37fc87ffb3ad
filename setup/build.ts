/**
 * Bundles the programs that run once per person on a server (less memory, a quicker start) and the files that the browser loads. Takes a
 * second, so it always builds; a bundle is only rewritten when its bytes changed. An entry that does not exist is an error. The first build
 * also compresses the runtime of the server kits, for some five seconds.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { build as esbuild, type BuildOptions, type Metafile } from 'esbuild';
import { worthBytes } from '../api/http/content-coding.ts';
import { kitPrograms } from '../kit/server/parts.ts';
import { makeServerKits } from '../kit/server/pack.ts';
import { makeAuthorPackages } from './author-packages.ts';
import { buildCommands } from './build-commands.ts';
import { derived } from './derived-values.ts';
import { helpFolder, writeHelp } from './help/write-help.ts';
import { kitStyles } from './kit-styles.ts';
import { ownYjs } from './room-bundle.ts';
import { undiciParts } from './undici-parts.ts';
import { makeWrappers } from './wrap.ts';
import { xtermStyles } from './xterm-styles.ts';

const root = resolve(import.meta.dirname, '..');

const server: BuildOptions = {
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // xstate and ajv are partly CommonJS: their require() of built-ins needs one in an ES module.
  banner: { js: "import { createRequire as svcCreateRequire } from 'node:module'; const require = svcCreateRequire(import.meta.url);" },
};

/**
 * Options for a program that lives as long as its person's apps: no loader of ES modules, and names of functions that stand in the source
 * alone, are a tenth of its own memory. Decision: docs/decisions/0268-rounds-of-apps-at-rest.md
 */
const resident: BuildOptions = {
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  keepNames: false,
  minify: false,
  minifyWhitespace: true,
  minifySyntax: true,
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
};

const browser: BuildOptions = { platform: 'browser', target: 'es2022', format: 'esm', sourcemap: true };

/** A plain script, so that it runs before any other of the page. */
const page: BuildOptions = { platform: 'browser', target: 'es2022', format: 'iife', keepNames: false };
const library: BuildOptions = { platform: 'node', target: 'node20', format: 'cjs' };

const bundles: readonly { readonly entry: string; readonly outfile: string; readonly options: BuildOptions }[] = [
  ...kitPrograms.map(({ entry, bundle }) => ({
    entry,
    outfile: `build/kit/${bundle}`,
    options: bundle.endsWith('.cjs') ? resident : server,
  })),
  // At the root of the origin: the scope of a worker is its own folder.
  { entry: 'shell/offline/worker.ts', outfile: 'build/shell/offline.js', options: page },
  { entry: 'shell/help/early.ts', outfile: `${helpFolder}/early.js`, options: page },
  { entry: 'shell/help/help.ts', outfile: `${helpFolder}/help.js`, options: page },
  { entry: 'shell/help/help.css', outfile: `${helpFolder}/help.css`, options: { minify: true } },
  // Stands for an app author's own build. Not committed: no code of others is.
  {
    entry: 'examples/apps/caderno/src/main.ts',
    outfile: 'examples/apps/caderno/frontend/caderno.js',
    options: { ...browser, sourcemap: false },
  },
  { entry: 'examples/apps/caderno/src/yjs.ts', outfile: 'examples/apps/caderno/backend/yjs.mjs', options: server },
  // Copied into new apps of the template `rooms` (bin/create/fill.ts).
  { entry: 'bin/create/yjs.ts', outfile: 'build/create/yjs.mjs', options: { ...browser, sourcemap: false } },
  // Every page of an app loads svc.js, so it is small; the driver of rooms is a separate file. Decision:
  // docs/decisions/0102-rooms-in-the-page.md
  { entry: 'sdk/web/svc.ts', outfile: 'build/sdk/web/svc.js', options: page },
  { entry: 'sdk/web/page-room.ts', outfile: 'build/sdk/web/salas.js', options: { ...page, format: 'esm', plugins: [ownYjs] } },
  { entry: 'sdk/web/ui/svc-ui.ts', outfile: 'build/sdk/web/ui/svc-ui.js', options: { ...page, plugins: [kitStyles] } },
  { entry: 'sdk/web/ui/svc-ui.css', outfile: 'build/sdk/web/ui/svc-ui.css', options: { minify: true } },
  // Beside its caller, so that the folder is complete wherever it is put (NODE_PATH, the server kit).
  { entry: 'sdk/rooms/node.ts', outfile: 'sdk/node/svc/lib/room-connection.cjs', options: { ...library, plugins: [ownYjs] } },
];

/** The desktop: one file, and parts that are loaded when they are needed, under names that change with their content. */
const shell: BuildOptions = {
  ...browser,
  entryPoints: [{ in: 'shell/main.ts', out: 'shell' }],
  outdir: 'build/shell',
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
  // A part that is not in the first file brings its styles with it.
  loader: { '.css': 'text' },
  plugins: [xtermStyles, kitStyles],
};

/** Files that are served as they are. */
const copies: readonly { readonly from: string; readonly to: string }[] = [{ from: 'shell/static', to: 'build/shell' }];

async function writeIfChanged(path: string, bytes: Uint8Array): Promise<void> {
  const old = await readFile(path).catch(() => null);
  if (old?.equals(bytes) === true) return;
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${process.pid}.tmp`;
  await writeFile(temporary, bytes);
  await rename(temporary, path);
}

interface Made {
  readonly files: readonly string[];
  readonly outputs: Metafile['outputs'];
}

async function bundle(options: BuildOptions): Promise<Made> {
  const { outputFiles, metafile } = await esbuild({
    keepNames: true,
    minify: true,
    ...options,
    absWorkingDir: root,
    bundle: true,
    write: false,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
    plugins: [...(options.plugins ?? []), undiciParts, derived(root)],
  });
  for (const file of outputFiles) await writeIfChanged(file.path, file.contents);
  return { files: outputFiles.map(({ path }) => path), outputs: metafile.outputs };
}

/**
 * Compresses the files that browsers load, as small as possible, beside the originals: no portal spends the 4 s. A compressed file older
 * than its source was made of other bytes. Decision: docs/decisions/0353-compressed-answers.md
 */
async function compressForBrowsers(folder: string): Promise<readonly string[]> {
  const made: string[] = [];
  for (const name of await readdir(folder)) {
    if (!/\.(?:js|css)$/.test(name)) continue;
    const [source, small] = [resolve(folder, name), resolve(folder, `${name}.br`)];
    made.push(small);
    const [written, kept] = await Promise.all([stat(source), stat(small).catch(() => null)]);
    if (written.size < worthBytes || (kept !== null && kept.mtimeMs >= written.mtimeMs)) continue;
    await writeIfChanged(small, brotliCompressSync(await readFile(source)));
    const now = new Date();
    await utimes(small, now, now);
  }
  return made;
}

type Outputs = Made['outputs'];

/** With `file`, all that it imports before it runs. */
function withImports(outputs: Outputs, file: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const { path, kind } of outputs[file]?.imports ?? []) if (kind === 'import-statement') withImports(outputs, path, found);
  return found;
}

/** By the name of its source, the files of each part of the shell that do not come with the first load. Source: shell/session/part.ts */
function filesOfParts(outputs: Outputs, first: ReadonlySet<string>): Readonly<Record<string, readonly string[]>> {
  const parts = Object.entries(outputs).filter(([file, { entryPoint = '' }]) => !first.has(file) && entryPoint.startsWith('shell/'));
  return Object.fromEntries(
    parts.map(([file, { entryPoint = '' }]) => [
      basename(entryPoint, '.ts'),
      [...withImports(outputs, file)].filter((each) => !first.has(each)).map((each) => basename(each)),
    ]),
  );
}

/** The page asks for all files of the first load at once, instead of those that another names when that one is there. */
async function writePage({ outputs }: Made): Promise<void> {
  const first = withImports(outputs, 'build/shell/shell.js');
  const [, ...preloaded] = first;
  const links = preloaded.map((path) => `    <link rel="modulepreload" href="/${path.slice('build/shell/'.length)}" />\n`);
  const parts = `    <script type="application/json" id="parts">${JSON.stringify(filesOfParts(outputs, first))}</script>\n`;
  const source = await readFile(resolve(root, 'shell/static/index.html'), 'utf8');
  const page = source.replace('  </head>', `${links.join('')}${parts}  </head>`);
  await writeIfChanged(resolve(root, 'build/shell/index.html'), Buffer.from(page));
}

/** Parts of a build before this one. */
async function removeOthers(folder: string, made: readonly string[]): Promise<void> {
  for (const name of await readdir(folder)) {
    const file = resolve(folder, name);
    if (!made.includes(file)) await rm(file);
  }
}

async function build(): Promise<void> {
  for (const { entry, outfile, options } of bundles) await bundle({ ...options, entryPoints: [entry], outfile });
  const desktop = await bundle(shell);
  const parts = resolve(root, 'build/shell/parts');
  await removeOthers(parts, [...desktop.files, ...(await compressForBrowsers(parts))]);
  // A supervisor that runs from the file of an earlier build sees it change, and makes room.
  const earlier = resolve(root, 'build/kit/svc-app-supervisor.mjs');
  if (existsSync(earlier)) await writeIfChanged(earlier, Buffer.from("import './svc-app-supervisor.cjs';\n"));
  await buildCommands(root, server, writeIfChanged);
  for (const { from, to } of copies) await cp(resolve(root, from), resolve(root, to), { recursive: true });
  await writePage(desktop);
  await writeHelp(root, writeIfChanged);
  for (const folder of ['build/shell', helpFolder, 'build/sdk/web', 'build/sdk/web/ui']) await compressForBrowsers(resolve(root, folder));
  await makeWrappers(root);
  await makeAuthorPackages();
  await makeServerKits(root);
}

/** `--commands`: their bundle alone. */
await (process.argv.includes('--commands') ? buildCommands(root, server, writeIfChanged) : build());
