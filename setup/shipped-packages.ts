/**
 * The files of npm packages that are shipped: those that a program of ours can load, found by the imports from its sources, and the licences. The
 * client of Kubernetes, 2,000 files of which a few calls are used, is one file. Decision: docs/decisions/0445-the-size-of-the-package.md
 */
import { readdirSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { clientNames } from '../controller/clusters/kubernetes.ts';

const kubernetes = '@kubernetes/client-node';

/** Compiled for one machine, and none of them is installed: their packages do without. */
const natives = ['*.node', 'cpu-features', 'pg-native', 'bufferutil', 'utf-8-validate'];

/** By a `require` that was made with createRequire, which no bundler sees. */
const required = ['tldts'];

const options = {
  bundle: true,
  write: false,
  metafile: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Node takes no file for the condition `module`, as esbuild would.
  conditions: [] as string[],
  external: natives,
  logLevel: 'error',
} as const satisfies BuildOptions;

/** Paths from the root, sorted. `sources` are all that may run, from the root too. */
export async function loadedFiles(root: string, sources: readonly string[]): Promise<readonly string[]> {
  const { metafile } = await build({
    ...options,
    absWorkingDir: root,
    // A single program imports all of them: each as an entry would be bundled by itself.
    stdin: {
      contents: [...sources.map((source) => `import './${source}';`), ...required.map((name) => `require('${name}');`)].join('\n'),
      resolveDir: root,
    },
    external: [...natives, kubernetes],
  });
  const files = Object.keys(metafile.inputs).filter((file) => file.startsWith('node_modules/'));
  const folders = new Set(files.map(packageFolder));
  const beside = [...folders, `node_modules/${kubernetes}`].flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter(
        (name) => /^(?:licen[cs]e|notice|copying)/i.test(name) || (name === 'package.json' && folder !== `node_modules/${kubernetes}`),
      )
      .map((name) => path.join(folder, name)),
  );
  return [...new Set([...files, ...beside])].toSorted();
}

const packageFolder = (file: string): string => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? '';

/** Writes the client of Kubernetes into a tree. */
export async function writeKubernetes(root: string, tree: string): Promise<void> {
  const folder = path.join(tree, 'node_modules', kubernetes);
  const { outputFiles } = await build({
    ...options,
    absWorkingDir: root,
    stdin: { contents: `export { ${clientNames.join(', ')} } from '${kubernetes}';`, resolveDir: root },
    minify: true,
    keepNames: true,
    legalComments: 'none',
    banner: { js: "import { createRequire as svcCreateRequire } from 'node:module'; const require = svcCreateRequire(import.meta.url);" },
  });
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'index.js'), outputFiles[0]?.contents ?? '');
  await writeFile(path.join(folder, 'package.json'), `${JSON.stringify({ name: kubernetes, type: 'module', exports: './index.js' })}\n`);
}
