/**
 * References of the docs and of comments: each decision that is named is a record, each record is in the index once, under its
 * title, and each relative link of a page leads to a file and a heading that exist. Comments of `plainFolders` are in plain words.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDesired } from '../schema/desired/load.ts';
import { renderFinding } from '../schema/render.ts';
import { importsOf } from './support/imports.ts';
import { wordsOf } from './support/words.ts';

const root = resolve(import.meta.dirname, '..');
const recordsFolder = 'docs/decisions';
const indexFile = `${recordsFolder}/README.md`;
const skipped = new Set(['node_modules', 'build', '.git', 'state']);

function* textFiles(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!skipped.has(entry.name)) yield* textFiles(path);
    } else if (entry.isFile() && (!entry.name.includes('.') || /\.(?:ts|js|cjs|mjs|c|py|sh|json|md|yaml)$/.test(entry.name))) yield path;
  }
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const records = readdirSync(join(root, recordsFolder)).filter((name) => /^\d{4}-[a-z\d-]+\.md$/.test(name));
const byNumber = new Map(records.map((name) => [name.slice(0, 4), name]));

/** Decisions that a line names: names of records, and numbers on a line that speaks of decisions or between brackets in a page. */
function decisionsIn(line: string, page: boolean): string[] {
  const names = [...line.matchAll(/\b[01]\d{3}-[a-z][a-z\d-]*\.md\b/g)].map(([name]) => name);
  const spoken = /\bdecisions?\b/i.test(line) ? [...line.matchAll(/(?<![\w.#:-])(0[01]\d{2})(?![\w:]|-[a-z])/g)] : [];
  const bracketed = page ? [...line.matchAll(/[([](0[01]\d{2})[)\],]/g)] : [];
  return [...names, ...spoken.map(([, number]) => number ?? ''), ...bracketed.map(([, number]) => number ?? '')];
}

function missingDecisions(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, at) =>
    decisionsIn(line, path.endsWith('.md'))
      .filter((named) => (named.endsWith('.md') ? !records.includes(named) : !byNumber.has(named)))
      .map((named) => `${path}:${at + 1} ${named}`),
  );
}

/** The anchor that a reader of Markdown gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

const anchorsOf = (path: string): string[] => [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

function brokenLinks(path: string, text: string): string[] {
  const withoutCode = text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...withoutCode.matchAll(/\[([^\]]*)\]\(([^)\s]+)\)/g)].flatMap(([link, label = '', target = '']) => {
    if (/^[a-z]+:/.test(target)) return [];
    const [file = '', anchor] = target.split('#');
    const to = file === '' ? path : relative(root, resolve(root, dirname(path), file));
    if (!existsSync(join(root, to))) return [`${path}: no such file: ${link}`];
    if (anchor !== undefined && !anchorsOf(to).includes(anchor)) return [`${path}: no such heading: ${link}`];
    const number = /\b(0[01]\d{2})\b/.exec(label)?.[1];
    const leadsTo = to.startsWith(`${recordsFolder}/`) && number !== undefined ? /\/(\d{4})-/.exec(to)?.[1] : number;
    return leadsTo === number ? [] : [`${path}: another record than the text says: ${link}`];
  });
}

/** Files that comments name: a path of the tree, or the end of one. */
const commentedFiles = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => /^\s*(?:\/?\*|\/\/)/.test(line))
    .flatMap((line) => Array.from(line.matchAll(/(?<![\w./`*@-])([a-z][\w-]*(?:\/[\w-]+)*(?:\.real)?(?:\.test)?\.(?:ts|sh))\b/g)))
    .map(([, path = '']) => path);

/** Files of the tree that a page names between backquotes. */
const namedFiles = (text: string): string[] =>
  [...text.matchAll(/`((?:[a-z]+\/)+[\w.-]+\.(?:ts|js|py|sh|md|yaml))`/g)]
    .map(([, path = '']) => path)
    .filter((path) => existsSync(join(root, path.split('/')[0]!)));

interface Step {
  readonly file: string;
  /** Where neither file imports the other: what both name, or the connection between them. */
  readonly by: string | null;
  readonly over: string | null;
}

/** Numbered lists of a page whose items begin with a file: one list is one path, in the order in which data meets the files. */
function pathsIn(text: string): Step[][] {
  const paths: Step[][] = [];
  for (const [, number, file = '', by = null, over = null] of text.matchAll(
    /^(\d+)\. `([\w./-]+\.ts)`(?:, (?:by `([^`]+)`|over ([\w ']+)))?:/gm,
  )) {
    if (number === '1') paths.push([]);
    paths.at(-1)?.push({ file, by, over });
  }
  return paths;
}

const connections = new Set(['HTTP', 'the WebSocket', 'the disk']);

/** Steps that the step before does not lead to. */
function brokenSteps(steps: readonly Step[]): string[] {
  return steps.flatMap(({ file, by, over }, at) => {
    const before = steps[at - 1]?.file;
    if (!existsSync(join(root, file))) return [`${file} is not there`];
    if (before === undefined || !existsSync(join(root, before))) return [];
    const [left, right] = [importsOf(before), importsOf(file)];
    if (left.includes(file) || right.includes(before)) return by === null && over === null ? [] : [`${before} -> ${file} is an import`];
    if (over !== null) return connections.has(over) ? [] : [`${before} -> ${file}: no such connection: ${over}`];
    if (by === null) return [`${before} -> ${file}: neither imports the other`];
    const both = by.endsWith('.ts') ? left.includes(by) && right.includes(by) : [before, file].every((one) => read(one).includes(by));
    return both ? [] : [`${before} -> ${file}: not both have ${by}`];
  });
}

const files = [...textFiles('.')].filter((path) => path !== 'test/docs.test.ts');
const pages = files.filter((path) => path.endsWith('.md'));

describe('references', () => {
  test('each decision that a comment or a page names is a record', () => {
    expect(files.flatMap((path) => missingDecisions(path, read(path)))).toEqual([]);
  });

  test('each relative link of a page leads to a file, to a heading that it has, and to the record that its text names', () => {
    expect(pages.flatMap((path) => brokenLinks(path, read(path)))).toEqual([]);
  });

  test('each file of the tree that a page names is there', () => {
    const missing = pages
      .filter((path) => path !== 'CHANGELOG.md')
      .flatMap((path) => namedFiles(read(path)).map((named) => [path, named] as const));
    expect(missing.filter(([, named]) => !existsSync(join(root, named)))).toEqual([]);
  });

  test('a page shows each picture', () => {
    const shown = pages.map(read).join('\n');
    const pictures = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).filter((path) => /\.(?:png|svg)$/.test(path));
    expect(pictures.length).toBeGreaterThan(5);
    expect(pictures.filter((path) => !shown.includes(`${path})`))).toEqual([]);
  });

  test('each file of a path that a page tells leads to the next', () => {
    const told = pages.map((path) => [path, pathsIn(read(path))] as const);
    expect(told.flatMap(([path, paths]) => paths.flatMap((steps) => brokenSteps(steps).map((broken) => `${path}: ${broken}`)))).toEqual([]);
    expect(told.find(([path]) => path === 'docs/ARCHITECTURE.md')?.[1].map(({ length }) => length > 3)).toEqual(
      Array<boolean>(7).fill(true),
    );
  });

  test('the path of a click, there and back, has at most 25 stops and enters no file twice', () => {
    const files = pathsIn(read('docs/ARCHITECTURE.md'))
      .slice(0, 2)
      .flatMap((steps) => steps.map(({ file }) => file));
    expect([files[0], files.at(-1)]).toEqual(['shell/desktop/svc-home.ts', 'api/proxy/forward.ts']);
    expect(files.length).toBeLessThanOrEqual(25);
    expect([...new Set(files)]).toEqual(files);
  });

  test('each source file that a comment names is there', () => {
    const sources = files.filter((path) => /\.(?:ts|sh)$/.test(path));
    const named = sources.flatMap((path) => commentedFiles(read(path)).map((name) => [path, name] as const));
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(([, name]) => !sources.some((path) => path === name || path.endsWith(`/${name}`)))).toEqual([]);
  });

  test('what is broken is found', () => {
    const line = ' * Source: rules 3.3. Decisions: docs/decisions/0199-gone.md, 0198; mode 0600';
    expect(missingDecisions('a.ts', line)).toEqual(['a.ts:1 0199-gone.md', 'a.ts:1 0198']);
    expect(missingDecisions('a.md', 'told once (0197)')).toEqual(['a.md:1 0197']);
    const links = `[a](gone.md) [b](glossary.md#none) [0197](decisions/${records[0]}) [c](https://example.org/x) \`[d](e)\``;
    expect(brokenLinks('docs/page.md', links).map((text) => text.split(': ')[1])).toEqual([
      'no such file',
      'no such heading',
      'another record than the text says',
    ]);
  });
});

test('a path that is broken is found', () => {
  const [steps = []] = pathsIn(
    '1. `api/portal.ts`: a\n2. `api/portal/starts.ts`: b\n3. `store/bus.ts`, by `enqueue`: c\n4. `store/gone.ts`: d\n5. `schema/wire/etag.ts`, over HTTP: e\n',
  );
  expect(steps.map(({ file }) => file)).toHaveLength(5);
  expect(brokenSteps(steps)).toEqual(['api/portal/starts.ts -> store/bus.ts is an import', 'store/gone.ts is not there']);
  const [loose = []] = pathsIn(
    '1. `schema/wire/etag.ts`: a\n2. `store/bus.ts`: b\n3. `api/http/space.ts`, by `enqueue`: c\n4. `kit/faults.ts`, over post: d\n',
  );
  expect(brokenSteps(loose)).toEqual([
    'schema/wire/etag.ts -> store/bus.ts: neither imports the other',
    'store/bus.ts -> api/http/space.ts: not both have enqueue',
    'api/http/space.ts -> kit/faults.ts: no such connection: post',
  ]);
});

describe('records of decisions', () => {
  test('no number is given twice', () => {
    expect(byNumber.size).toBe(records.length);
  });

  test('each begins with its number and a title', () => {
    expect(records.filter((name) => !new RegExp(`^# ${name.slice(0, 4)} \\S`).test(read(`${recordsFolder}/${name}`)))).toEqual([]);
  });

  test('the index has each once, by its title', () => {
    const lines = [...read(indexFile).matchAll(/^- \[(\d{4})\]\(([^)]+)\) (.+?)(?:, replaced by \[\d{4}\]\([^)]+\))?$/gm)];
    const told = lines.map(([, number, file, title]) => `${number} ${file} ${title}`);
    const there = records.map((name) => {
      const [, number, title] = /^# (\d{4}) (.+)$/m.exec(read(`${recordsFolder}/${name}`)) ?? [];
      return `${number} ${name} ${title}`;
    });
    expect(told.toSorted()).toEqual(there.toSorted());
  });
});

describe('glossary', () => {
  const areas = read('docs/glossary.md')
    .split(/^## /m)
    .map((part) => [...part.matchAll(/^- \*\*([^*]+)\*\*: /gm)].map(([, word = '']) => word));
  const words = areas.flat();

  test('has each word once, in the order of the alphabet within an area', () => {
    expect(words.filter((word, at) => words.indexOf(word) !== at)).toEqual([]);
    for (const area of areas) expect(area).toEqual(area.toSorted((left, right) => (left.toLowerCase() < right.toLowerCase() ? -1 : 1)));
  });

  test('has no word that neither code nor pages use', () => {
    const others = files.filter((path) => path !== 'docs/glossary.md' && path !== 'CHANGELOG.md').map((path) => read(path).toLowerCase());
    const isUsed = (word: string): boolean => {
      const spelled = new RegExp(`(?<![a-z])${word.toLowerCase().replaceAll(' ', '[ -]?')}(?:s|es)?(?![a-z])`);
      return others.some((text) => spelled.test(text));
    };
    expect(words.length).toBeGreaterThan(50);
    expect(words.filter((word) => !isUsed(word))).toEqual([]);
  });
});

/** Top folders without a bare opening and without a dead citation. A folder is added once it has none, and never leaves. */
const plainFolders = wordsOf(`
  api bench bin controller examples kit machines reconcilers schema sdk setup shell store test
`);

/** A line on which a comment begins or goes on with such a word, instead of a noun or a verb. */
const bareOpening = /^\s*(?:\/\*\*?|\/\/|\*|#|""") ?(?:Of|What|Who|Whose|Those|That of|One) /;

/** Documents that are not in the tree. The rules of the specification are in docs/rules, choices in docs/decisions. */
const deadCitation = /\b(?:spec|design|anchors) [\dA-I]+(?:\.\d+)?|\bissue \d+/;

function unplainLines(path: string, text: string): string[] {
  const isUnplain = (line: string): boolean => bareOpening.test(line) || deadCitation.test(line);
  return text.split('\n').flatMap((line, at) => (isUnplain(line) ? [`${path}:${at + 1} ${line.trim()}`] : []));
}

function missingRules(path: string, text: string): string[] {
  const sections = Array.from(text.matchAll(/(?<!supervisor )\brules (\d+(?:\.\d+)?)\b/g), ([, section = '']) => section);
  return sections.filter((section) => !existsSync(join(root, `docs/rules/${section}.yaml`))).map((section) => `${path} rules ${section}`);
}

describe('comments in plain words', () => {
  const sources = files.filter((path) => /\.(?:ts|js|cjs|mjs|c|py|sh)$/.test(path) && !path.includes('generated'));

  test.for(plainFolders)('%s has no bare opening and no citation that leads nowhere', (folder) => {
    const inFolder = sources.filter((path) => path.startsWith(`${folder}/`) && path !== 'test/docs.test.ts');
    expect(inFolder.length).toBeGreaterThan(5);
    expect(inFolder.flatMap((path) => unplainLines(path, read(path)))).toEqual([]);
  });

  test('each section of the rules that a comment cites is a page', () => {
    expect(sources.flatMap((path) => missingRules(path, read(path)))).toEqual([]);
  });

  test('a line that is not plain is found', () => {
    const lines = [
      '/** Of one line. */',
      '  // What goes on',
      ' * Those that wait.',
      '# Who asks',
      '    """One verb.',
      'const a = 1; // Source: spec 3.3',
      '// design 2',
      '// anchors F3',
      '// issue 17',
    ];
    expect(unplainLines('a.ts', lines.join('\n')).map((found) => found.split(' ')[0])).toEqual(lines.map((_line, at) => `a.ts:${at + 1}`));
    const plain = ['/** Bytes of one line. */', '// Returns what is left.', '// Source: rules 3.3', '// Whoever asks', 'designs 2'];
    expect(unplainLines('a.ts', plain.join('\n'))).toEqual([]);
    expect(missingRules('a.ts', '// Source: rules 3.3, rules 3.9')).toEqual(['a.ts rules 3.9']);
  });
});

test('the mistake that README shows is what the example folder says of it', () => {
  const shown = /```\n(examples\/desired\/(\w+\.yaml):[\s\S]*?)```/.exec(read('README.md'));
  const [, expected = '', name = ''] = shown ?? [];
  const text = read(`examples/desired/${name}`).replace('grupos: [editores]', 'grupo: [editores]');
  const file = { name: `examples/desired/${name}`, bytes: new TextEncoder().encode(text) };
  const [report] = readDesired([file], []).reports;
  expect(report?.errors.map((finding) => `${renderFinding(report, finding, text)}\n`)).toEqual([expected]);
});
