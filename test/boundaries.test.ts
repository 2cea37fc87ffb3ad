/**
 * Dependencies point one way (design 2). Two proofs: the import graph of the tree as it is holds no forbidden arrow, read here
 * independently of the linter; and a planted forbidden import is refused by the linter, so that the rule itself can't rot.
 */
import { execFileSync } from 'node:child_process';
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
  controller: { folders: ['schema', 'machines', 'reconcilers'] },
  api: {
    folders: ['schema', 'machines'],
    files: ['controller/store/store.ts', 'controller/store/rooms.ts', 'controller/store/room-log.ts', 'controller/events/bus.ts'],
  },
  bin: { folders: ['schema', 'machines', 'reconcilers', 'controller', 'kit', 'api'] },
  // What is put into bundles. Decision: docs/decisions/0102-rooms-in-the-page.md
  sdk: { folders: ['schema/wire', 'schema/crdt'], files: ['machines/room-connection.ts', 'schema/rooms.ts', 'schema/limits.ts'] },
  shell: { folders: ['schema/wire', 'schema/texts', 'schema/backend.ts', 'schema/rooms.ts'] },
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

describe('arrows', () => {
  test('no file of the tree imports against the arrows', () => {
    expect(forbidden()).toEqual([]);
  });

  test('the reader of imports sees what it should', () => {
    expect(importsOf('reconcilers/decision.ts')).toContain('reconcilers/actions.ts');
  });
});

describe('the linter refuses a planted import', () => {
  /** A tree of its own under the project's rules: nobody else's lint or build meets the planted file. */
  let tree: string;
  beforeAll(() => {
    tree = mkdtempSync(join(tmpdir(), 'svcp-'));
    for (const file of ['.oxlintrc.json', 'tsconfig.json']) copyFileSync(join(root, file), join(tree, file));
    symlinkSync(join(root, 'node_modules'), join(tree, 'node_modules'));
  });
  afterAll(() => rmSync(tree, { recursive: true }));

  const lint = (folder: string, target: string): string => {
    const planted = join(tree, folder, 'planted.ts');
    mkdirSync(dirname(planted), { recursive: true });
    writeFileSync(planted, `import * as planted from '${target}';\nexport const use = planted;\n`);
    try {
      return execFileSync(join(root, 'node_modules/.bin/oxlint'), [planted], { cwd: tree, encoding: 'utf8' });
    } catch (error) {
      return String((error as { stdout?: unknown }).stdout);
    }
  };

  test.for([
    ['schema', '../machines/supervision.ts'],
    ['machines', '../reconcilers/decision.ts'],
    ['machines', 'node:fs'],
    ['reconcilers', '../controller/store/store.ts'],
    ['kit', '../controller/store/store.ts'],
    ['controller', '../api/portal.ts'],
    ['api', '../controller/hosts/host.ts'],
    ['sdk', '../api/portal.ts'],
    ['sdk', '../machines/supervision.ts'],
    ['shell', '../machines/room-connection.ts'],
    ['shell', '../controller/store/store.ts'],
  ] as const)('%s -> %s', ([folder, target]) => {
    expect(lint(folder, target)).toContain('no-restricted-imports');
  });

  test('and lets an allowed one pass', () => {
    expect(lint('api', '../controller/store/store.ts')).not.toContain('no-restricted-imports');
    expect(lint('sdk', '../machines/room-connection.ts')).not.toContain('no-restricted-imports');
  });
});
