/**
 * The bundle of the commands (bin/): a file for each, and chunks that only some of them load, so that `svc get` reads no portal. The list
 * of its sources is beside it, and bin/bundled/start.ts runs it only while they are unchanged.
 * Decision: docs/decisions/0171-one-bundle-of-the-commands.md
 */
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { build, type BuildOptions, type OutputFile, type Plugin } from 'esbuild';
import { bundleDir, inputsFile, quickCommands, quickFile, quickInputs, type Inputs } from '../bin/bundled/start.ts';
import { compiledShapes } from './compiled-shapes.ts';
import { derivedValues } from './derived-values.ts';
import { undiciParts } from './undici-parts.ts';

type Write = (path: string, bytes: Uint8Array) => Promise<void>;

const programs = ['svc', 'svc-app-publish', 'publicar-motor'];

/** Threads that the portal starts. From their sources each would load the compiler of TypeScript first, for a fifth of a second. */
const threads = ['store/room-log-thread', 'store/room-compact-thread', 'api/terminals/screen-thread'];

/**
 * Small, and loaded by commands that end at once. The others stay in node_modules: the portal loads them once, and some read files of
 * their folders.
 */
const bundledPackages = new Set(['commander', 'yaml', 'ajv', 'semver', 'fastest-levenshtein', 'xstate']);

/** Their text stays in the memory of who runs it. */
const common = {
  bundle: true,
  minifyWhitespace: true,
  lineLimit: 200,
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  write: false,
} as const satisfies BuildOptions;

/** The sources of one bundle, with size and time of change. */
class Read {
  readonly #root: string;
  readonly #files = new Map<string, readonly [bytes: number, mtimeMs: number]>();

  constructor(root: string) {
    this.#root = root;
  }

  async note(fromRoot: string): Promise<void> {
    const { size, mtimeMs } = await stat(join(this.#root, fromRoot));
    this.#files.set(fromRoot, [size, mtimeMs]);
  }

  list(outputs: readonly string[]): Buffer {
    const inputs = [...this.#files].map(([path, [bytes, mtimeMs]]) => [path, bytes, mtimeMs] as const);
    return Buffer.from(JSON.stringify({ inputs, outputs } satisfies Inputs));
  }
}

export async function buildCommands(root: string, server: BuildOptions, write: Write): Promise<void> {
  const own = ['package-lock.json', ...(await ownFiles(root))];
  const options: BuildOptions = {
    ...server,
    ...common,
    absWorkingDir: root,
    banner: { js: `${server.banner?.['js'] ?? ''} ${placeOfSources}` },
  };
  const read = new Read(root);
  for (const path of own) await read.note(path);
  const result = await build({
    ...options,
    entryPoints: Object.fromEntries([
      ...programs.map((name) => [name, `bin/bundled/${name}.ts`]),
      ...threads.map((name) => [name, `${name}.ts`]),
    ]),
    outdir: bundleDir,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'chunks/[name]-[hash]',
    splitting: true,
    // With SVC_DEBUG, files and lines of a stack come from the source map.
    sourcemap: 'linked',
    write: false,
    plugins: [builtins, undiciParts, packages, ourSources(root, read)],
  });
  const before = await outputsIn(root);
  const quick = (await Promise.all(quickCommands.map((command) => buildQuick(root, options, own, command)))).flat();
  for (const { path, contents } of quick) await write(join(root, bundleDir, path), contents);
  // The programs last: what they load is there by then. Then what they were made of.
  const files = withoutMapOfUndici(result.outputFiles).toSorted((a, b) => Number(isProgram(a.path)) - Number(isProgram(b.path)));
  for (const { path, contents } of files) await write(path, contents);
  const outputs = [...files.map(({ path }) => relative(join(root, bundleDir), path)), ...quick.map(({ path }) => path)];
  await write(join(root, inputsFile), read.list(outputs));
  // A command that is just starting finds the chunks of the build before; those of older ones go.
  const kept = new Set([...before.last, ...outputs, 'inputs.json']);
  for (const file of before.all) if (!kept.has(file)) await rm(join(root, bundleDir, file), { force: true });
}

/**
 * Builds a single command as a file, and then the list of its inputs. The other commands are not in it: bin/bundled/start.ts runs it for
 * this one only.
 */
async function buildQuick(
  root: string,
  options: BuildOptions,
  own: readonly string[],
  command: string,
): Promise<readonly { readonly path: string; readonly contents: Uint8Array }[]> {
  const read = new Read(root);
  for (const path of own) await read.note(path);
  const { outputFiles } = await build({
    ...options,
    entryPoints: ['bin/svc-main.ts'],
    outfile: join(bundleDir, quickFile(command)),
    write: false,
    plugins: [commandAlone(command), builtins, undiciParts, packages, ourSources(root, read)],
  });
  return [
    { path: quickFile(command), contents: outputFiles[0]?.contents ?? new Uint8Array() },
    { path: quickInputs(command), contents: read.list([]) },
  ];
}

/** Where commands are described. */
const isProgramPart = /\/bin\/(?:[a-z-]+-program|[a-z]+\/program)\.ts$/;

const commandAlone = (command: string): Plugin => ({
  name: 'command-alone',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^\.\.?\/(?:commands\/|publish-program)/ }, ({ path, kind, importer }) =>
      kind === 'dynamic-import' && isProgramPart.test(importer) && basename(path) !== `${command}.ts`
        ? { path, namespace: 'other-command' }
        : null,
    );
    bundler.onLoad({ filter: /./, namespace: 'other-command' }, ({ path }) => ({
      contents: `throw new Error(${JSON.stringify(`${path} is not in the file of svc ${command}`)})`,
      loader: 'js',
    }));
  },
});

/**
 * Inputs of this build itself, the schemas that it compiles among them. Throws when one was written after it began, since then it runs an
 * older one.
 */
async function ownFiles(root: string): Promise<readonly string[]> {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['setup/build.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    metafile: true,
    write: false,
    outfile: 'build.mjs',
  });
  const files = Object.keys(metafile.inputs);
  for (const file of files) {
    if ((await stat(join(root, file))).mtimeMs > performance.timeOrigin) throw new Error(`${file} changed while it was built: build again`);
  }
  return files;
}

/**
 * Node reads the source map of a file at its first stack trace, and undici makes one for every connection that ends: 0.1 s of `svc get`.
 * Places in it would not help.
 */
function withoutMapOfUndici(files: readonly OutputFile[]): readonly Pick<OutputFile, 'path' | 'contents'>[] {
  const isUndici = (path: string): boolean => /\/chunks\/undici-[^/]+$/.test(path);
  return files
    .filter(({ path }) => !(isUndici(path) && path.endsWith('.map')))
    .map(({ path, contents, text }) => ({
      path,
      contents: isUndici(path) ? Buffer.from(text.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n')) : contents,
    }));
}

const isProgram = (path: string): boolean => dirname(path).endsWith(bundleDir);

/** The folder of a source, in any output file. */
const placeOfSources = [
  "import { pathToFileURL as svcPathToFileURL } from 'node:url';",
  `const svcRoot = import.meta.dirname.slice(0, import.meta.dirname.lastIndexOf('/${bundleDir}'));`,
].join(' ');

function ourSources(root: string, read: Read): Plugin {
  return {
    name: 'our-sources',
    setup: (bundler) => {
      bundler.onLoad({ filter: /\.(ts|json)$/ }, async ({ path }) => {
        if (path.includes('/node_modules/')) return null;
        const fromRoot = relative(root, path);
        // Before it is read: what is written meanwhile makes the bundle an old one.
        await read.note(fromRoot);
        const made = compiledShapes(path, fromRoot) ?? derivedValues(fromRoot);
        if (made !== null) return made;
        const text = await readFile(path, 'utf8');
        const place = (at: string): string => `(svcRoot + ${JSON.stringify(`/${at}`)})`;
        const contents = threadsOf(text, dirname(fromRoot))
          .replaceAll(/\bimport\.meta\.dirname\b/g, place(dirname(fromRoot)))
          .replaceAll(/\bimport\.meta\.filename\b/g, place(fromRoot))
          .replaceAll(/\bimport\.meta\.url\b/g, `svcPathToFileURL(${place(fromRoot)}).href`);
        return { contents, loader: path.endsWith('.ts') ? 'ts' : 'json', resolveDir: dirname(path) };
      });
    },
  };
}

/** `new URL('./x-thread.ts', import.meta.url)` names the bundled thread. */
function threadsOf(text: string, folder: string): string {
  return text.replaceAll(/new URL\('\.\/([\w-]+)\.ts', import\.meta\.url\)/g, (whole, name: string) =>
    threads.includes(`${folder}/${name}`) ? `svcPathToFileURL(svcRoot + ${JSON.stringify(`/${bundleDir}/${folder}/${name}.mjs`)})` : whole,
  );
}

const packages: Plugin = {
  name: 'packages',
  setup: (bundler) => {
    bundler.onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      if (kind === 'entry-point' || path.startsWith('node:') || importer.includes('/node_modules/')) return null;
      const name = path
        .split('/')
        .slice(0, path.startsWith('@') ? 2 : 1)
        .join('/');
      if (!bundledPackages.has(name)) return { path, external: true };
      // An import() of a CommonJS package would have no names.
      if (kind === 'dynamic-import') return { errors: [{ text: `import('${path}') through a file of ours, as bin/yaml.ts` }] };
      return null;
    });
  },
};

/**
 * As an ES module what Node brings gives all that it exports at once: `http` loads undici with `WebSocket` (40 ms of a start, and memory, for
 * nothing), `fs` its streams. Asked for in this way it does not.
 */
const builtins: Plugin = {
  name: 'builtins',
  setup: (bundler) => {
    // Commander would start programs named svc-NAME as commands: there are none.
    bundler.onResolve({ filter: /^node:child_process$/ }, ({ importer }) =>
      importer.includes('/commander/') ? { path: 'none', namespace: 'no-programs' } : null,
    );
    bundler.onLoad({ filter: /./, namespace: 'no-programs' }, () => ({ contents: 'export default {}', loader: 'js' }));
    // A dynamic import stays as it is: in this way it would have no names.
    bundler.onResolve({ filter: /^node:/ }, ({ path, kind }) => (kind === 'dynamic-import' ? null : { path, namespace: 'builtin' }));
    bundler.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
      loader: 'js',
    }));
  },
};

/** The files in the folder, and those that the previous build wrote. */
async function outputsIn(root: string): Promise<{ readonly all: readonly string[]; readonly last: readonly string[] }> {
  const entries = await readdir(join(root, bundleDir), { recursive: true, withFileTypes: true }).catch(() => []);
  const all = entries.flatMap((entry) => (entry.isFile() ? [relative(join(root, bundleDir), join(entry.parentPath, entry.name))] : []));
  const text = await readFile(join(root, inputsFile), 'utf8').catch(() => '{"outputs":[]}');
  return { all, last: (JSON.parse(text) as Inputs).outputs ?? [] };
}
