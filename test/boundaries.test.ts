/**
 * Dependencies point one way (design 2). Two proofs: the import graph of the tree as it is holds no forbidden arrow, read here
 * independently of the linter; and a planted forbidden import is refused by the linter, so that the rule itself can't rot. No file imports
 * itself by way of others either: a reader can take each file with what is below it.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '..');

/** Who may import whom; the folder itself is always allowed. `files` narrows an arrow to single files. */
const allowed: Record<string, { readonly folders: readonly string[]; readonly files?: readonly string[] }> = {
  schema: { folders: [] },
  machines: { folders: ['schema'] },
  reconcilers: { folders: ['schema', 'machines'] },
  kit: { folders: ['schema', 'machines'] },
  store: { folders: ['schema'] },
  controller: { folders: ['schema', 'machines', 'reconcilers', 'store', 'kit/http'] },
  api: { folders: ['schema', 'machines', 'store'] },
  bin: { folders: ['schema', 'machines', 'reconcilers', 'store', 'controller', 'kit', 'api'] },
  // What is put into bundles. Decision: docs/decisions/0102-rooms-in-the-page.md
  sdk: { folders: ['schema/wire', 'schema/crdt'], files: ['machines/room-connection.ts', 'schema/rooms.ts', 'schema/limits.ts'] },
  shell: {
    folders: ['schema/wire', 'schema/texts'],
    files: ['schema/backend.ts', 'schema/keys.ts', 'schema/rooms.ts', 'schema/backoff.ts'],
  },
};

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* sources(path);
    else if (/\.(ts|js|mjs|cjs)$/.test(entry.name) && !entry.name.endsWith('.test.ts')) yield path;
  }
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const found = text.matchAll(/(?:from|import|require)\s*\(?\s*['"](\.[^'"]+)['"]/g);
  return [...found].map((match) => relative(root, resolve(root, dirname(file), match[1]!)));
}

function forbidden(): string[] {
  const wrong: string[] = [];
  for (const [folder, rule] of Object.entries(allowed)) {
    for (const file of sources(folder)) {
      // Test support stands beside its tests and is not part of the running system.
      if (file.includes('/testing/')) continue;
      for (const target of importsOf(file)) {
        // The version stands in package.json alone.
        if (target === 'package.json') continue;
        const free = [folder, ...rule.folders].some((to) => target === to || target.startsWith(`${to}/`));
        if (!free && !rule.files?.includes(target)) wrong.push(`${file} -> ${target}`);
      }
    }
  }
  return wrong;
}

/** Every file with what it imports, also types only. */
function importGraph(): ReadonlyMap<string, readonly string[]> {
  const graph = new Map<string, readonly string[]>();
  for (const folder of [...Object.keys(allowed), 'setup']) for (const file of sources(folder)) graph.set(file, importsOf(file));
  return graph;
}

/** One way round from each file that can come back to itself: `a -> b -> a`. */
function circles(graph: ReadonlyMap<string, readonly string[]>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const follow = (file: string, way: readonly string[]): void => {
    const at = way.indexOf(file);
    if (at >= 0) found.push([...way.slice(at), file].join(' -> '));
    if (at >= 0 || done.has(file)) return;
    for (const target of graph.get(file) ?? []) follow(target, [...way, file]);
    done.add(file);
  };
  for (const file of graph.keys()) follow(file, []);
  return found;
}

describe('circles', () => {
  test('no file imports itself by way of others, be it for a type', () => {
    expect(circles(importGraph())).toEqual([]);
  });

  test('one that is planted is found', () => {
    const graph = new Map([...importGraph(), ['schema/keys.ts', ['reconcilers/decision.ts']]]);
    const reached = circles(new Map([...graph, ['reconcilers/decision.ts', ['reconcilers/actions.ts', 'schema/keys.ts']]]));
    expect(reached).toEqual(['schema/keys.ts -> reconcilers/decision.ts -> schema/keys.ts']);
    expect(
      circles(
        new Map([
          ['a', ['b']],
          ['b', ['c', 'd']],
          ['c', []],
          ['d', ['a', 'd']],
        ]),
      ),
    ).toEqual(['a -> b -> d -> a', 'd -> d']);
  });
});

describe('arrows', () => {
  test('no file of the tree imports against the arrows', () => {
    expect(forbidden()).toEqual([]);
  });

  test('the reader of imports sees what it should', () => {
    expect(importsOf('reconcilers/decision.ts')).toContain('reconcilers/actions.ts');
  });
});

const plantedWrong = [
  ['schema', '../machines/supervision.ts'],
  ['machines', '../reconcilers/decision.ts'],
  ['machines', 'node:fs'],
  ['reconcilers', '../store/store.ts'],
  ['kit', '../store/store.ts'],
  ['store', '../controller/entries.ts'],
  ['controller', '../api/portal.ts'],
  ['controller', '../kit/install/install.ts'],
  ['api', '../controller/hosts/host.ts'],
  ['sdk', '../api/portal.ts'],
  ['sdk', '../machines/supervision.ts'],
  ['shell', '../machines/room-connection.ts'],
  ['shell', '../store/store.ts'],
] as const;
const plantedRight = [
  ['api', '../store/store.ts'],
  ['controller', '../kit/http/ask.ts'],
  ['sdk', '../machines/room-connection.ts'],
] as const;

describe('the linter refuses a planted import', () => {
  /** A tree of its own under the project's rules: nobody else's lint or build meets the planted files. */
  let tree: string;
  /** The planted files that it refused for what they import. */
  let refused: readonly string[];
  const planted = (folder: string, target: string): string => `${folder}/planted-${target.replaceAll(/[^a-z]/g, '-')}.ts`;

  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'svcp-'));
    for (const file of ['.oxlintrc.json', 'tsconfig.json']) copyFileSync(join(root, file), join(tree, file));
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
    const files = [...plantedWrong, ...plantedRight].map(([folder, target]) => {
      const file = planted(folder, target);
      mkdirSync(dirname(join(tree, file)), { recursive: true });
      writeFileSync(join(tree, file), `import * as planted from '${target}';\nexport const use = planted;\n`);
      return file;
    });
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/oxlint'), ['-f', 'json', ...files], { cwd: tree, encoding: 'utf8' });
    const { diagnostics } = JSON.parse(stdout) as { readonly diagnostics: readonly { readonly code: string; readonly filename: string }[] };
    refused = diagnostics.filter(({ code }) => code.includes('no-restricted-imports')).map(({ filename }) => filename);
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  test.for(plantedWrong)('%s -> %s', ([folder, target]) => {
    expect(refused).toContain(planted(folder, target));
  });

  test.for(plantedRight)('and lets %s -> %s pass', ([folder, target]) => {
    expect(refused).not.toContain(planted(folder, target));
  });
});
