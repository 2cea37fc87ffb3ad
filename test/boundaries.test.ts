/**
 * Dependencies point one way (setup/arrows.ts). Two proofs: the import graph of the tree as it is holds no forbidden arrow, read here
 * independently of the linter; and a planted forbidden import is refused by the linter, so that the rule itself can't rot. No file imports
 * itself by way of others either: a reader can take each file with what is below it.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { arrows, floors, isAllowed, lintOverrides, withArrows } from '../setup/arrows.ts';
import { importsOf, sources } from './support/imports.ts';

const root = resolve(import.meta.dirname, '..');
/** Folders of the running product. */
const folders = arrows
  .map(({ folder }) => folder)
  .filter((folder) => !folder.includes('/') && !['examples', 'test', 'bench'].includes(folder));

/** Test support stands beside its tests and is not part of the running system; the version stands in package.json alone. */
function forbidden(): string[] {
  return [...importGraph()].flatMap(([file, targets]) =>
    file.includes('/testing/')
      ? []
      : targets.filter((target) => target !== 'package.json' && !isAllowed(file, target)).map((target) => `${file} -> ${target}`),
  );
}

/** Every file with what it imports, also types only. */
function importGraph(): ReadonlyMap<string, readonly string[]> {
  const graph = new Map<string, readonly string[]>();
  for (const folder of folders) for (const file of sources(folder)) graph.set(file, importsOf(file));
  return graph;
}

/** Returns a way round from each file that can come back to itself: `a -> b -> a`. */
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
  test('the linter and docs/ARCHITECTURE.md say what the table says; `node setup/arrows-table.ts` writes both', () => {
    const { overrides } = JSON.parse(readFileSync(join(root, '.oxlintrc.json'), 'utf8')) as {
      readonly overrides: readonly { readonly rules: object }[];
    };
    expect(overrides.filter(({ rules }) => 'no-restricted-imports' in rules)).toEqual(lintOverrides());
    const page = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8');
    expect(page).toBe(withArrows(page));
  });

  test('no file of the tree imports against the arrows', () => {
    expect(forbidden()).toEqual([]);
  });

  test('the reader of imports sees what it should', () => {
    expect(importsOf('reconcilers/decision.ts')).toContain('reconcilers/actions.ts');
    // Loaded when it is needed.
    expect(importsOf('bin/output.ts')).toContain('bin/yaml.ts');
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
  ['shell', '../schema/routes/routes.ts'],
  ['bin', '../shell/main.ts'],
  ['machines', '../api/proxy/proxy.ts'],
  ['controller', '../api/rooms/relay/relay.ts'],
  ['machines', 'node:fs/promises'],
  ['schema', './crdt/scan.ts'],
  ['store', '../schema/crdt/knowledge.ts'],
  ['api/rooms/relay', '../../../schema/crdt/scan.ts'],
  ['sdk', '../schema/crdt/scan.ts'],
  ['test', '../schema/crdt/scan.ts'],
  ['kit', './repository/layout/paths.ts'],
  ['kit/install', '../repository/layout/minimum.ts'],
  ['bin', '../kit/repository/layout/records.ts'],
  ['test', '../kit/repository/layout/records.ts'],
  ['api', './proxy/contract.ts'],
  ['api/rooms', '../proxy/pool.ts'],
  ['bench', '../api/proxy/forward.ts'],
  ['api/rooms', './relay/room.ts'],
  ['test', '../api/rooms/relay/turns.ts'],
  ['api/repository', '../proxy/panel.ts'],
  ['controller', '../kit/repository/layout/paths.ts'],
  ['controller', '../kit/repository/publishing/publish.ts'],
  ['api', '../kit/repository/layout/paths.ts'],
  ['api/repository', '../../kit/http/ask.ts'],
  ['api/repository', '../../controller/entries.ts'],
] as const;
const plantedRight = [
  ['api', '../store/store.ts'],
  ['api', './proxy/proxy.ts'],
  ['kit/repository', './layout/paths.ts'],
  ['kit/repository/reading', '../layout/paths.ts'],
  ['bin', '../kit/repository/publishing/publish.ts'],
  ['store', '../schema/crdt/update.ts'],
  ['schema/crdt', './scan.ts'],
  ['test', '../schema/crdt/testing/random-edits.ts'],
  ['api/proxy', './contract.ts'],
  ['bench', '../api/proxy/testing/undici-upstream.ts'],
  ['bin', '../api/rooms/relay/relay.ts'],
  ['controller', '../kit/http/ask.ts'],
  ['sdk', '../machines/room-connection.ts'],
  ['shell', '../schema/routes/call.ts'],
  ['api/repository', '../../kit/repository/layout/paths.ts'],
] as const;

/** The part of `folder` that the file is in: a folder in it, or the file itself at its top. */
const partOf = (folder: string, file: string): string | undefined =>
  file.startsWith(`${folder}/`) ? file.slice(folder.length + 1).split('/')[0] : undefined;

/** Imports from part to part of the folder that do not lead down. */
function upward(folder: string, order: readonly string[], graph: ReadonlyMap<string, readonly string[]>): string[] {
  const floorOf = (part: string): number => order.indexOf(part);
  const found = [...graph].flatMap(([file, targets]) => {
    const from = file.includes('/testing/') ? undefined : partOf(folder, file);
    const to = targets.map((target) => partOf(folder, target)).filter((part) => part !== undefined && part !== from);
    return from === undefined ? [] : to.filter((part) => floorOf(part!) <= floorOf(from)).map((part) => `${from} -> ${part}`);
  });
  return [...new Set(found)].toSorted();
}

describe('floors', () => {
  test.for(Object.entries(floors))('within %s/ an import leads down, but for those of the table', ([folder, { order, up }]) => {
    const graph = importGraph();
    const listed = order.split(/\s+/);
    expect(listed.filter((part) => !existsSync(join(root, folder, part)))).toEqual([]);
    expect(upward(folder, listed, graph)).toEqual(up);
  });

  test('an import that leads up is found, and one that is not in the order', () => {
    const graph = new Map([
      ['top/a/one.ts', ['top/b/two.ts', 'top/a/other.ts', 'else/b.ts']],
      ['top/b/two.ts', ['top/a/one.ts', 'top/c.ts']],
    ]);
    expect(upward('top', ['a', 'b'], graph)).toEqual(['b -> a', 'b -> c.ts']);
  });
});

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
