import { expect, test } from 'vitest';
import { locate, materialize } from './node.ts';
import { readYaml } from './yaml.ts';
import type { Problem } from '../findings.ts';

function codes(text: string): string[] {
  return readYaml(text).flatMap(({ node, problems }) => {
    const found: Problem[] = [...problems];
    if (node) materialize(node, found);
    return found.map((problem) => `${problem.code}@${problem.span.start}`);
  });
}

test.for([
  ['a: &x 1', 'YAML_FEATURE@6', 'an anchor'],
  ['a: *x', 'YAML_FEATURE@3', 'an alias of nothing'],
  ['a: !!str 1', 'YAML_FEATURE@9', 'a tag'],
  ['a: !foo 1', 'YAML_FEATURE@3', 'a tag of its own'],
  ['<<: { a: 1 }', 'YAML_FEATURE@0', 'a merge key'],
  ['a: 1\na: 2', 'DUPLICATE_KEY@5', 'a key twice'],
  ['"a": 1\na: 2', 'DUPLICATE_KEY@7', 'a key twice in other quotes'],
  ['__proto__: 1', 'FORBIDDEN_KEY@0', '__proto__'],
  ['constructor: 1', 'FORBIDDEN_KEY@0', 'constructor'],
  ['? [a]\n: 1', 'SYNTAX@2', 'a list as key'],
  ['a: "\\ud800"', 'LONE_SURROGATE@3', 'half a character'],
  ['a: b: c', 'SYNTAX@3', 'a mapping in a value'],
  ['\ta: 1', 'SYNTAX@0', 'a tab as indentation'],
] as const)('%j is refused as %s (%s)', ([text, expected]) => {
  expect(codes(text)).toContain(expected);
});

test('aliases are refused where they stand, also when their anchor exists', () => {
  expect(codes('a: &x 1\nb: *x')).toEqual(['YAML_FEATURE@6', 'YAML_FEATURE@11']);
});

test('%YAML 1.1 would change what "yes" means and is refused', () => {
  expect(codes('%YAML 1.1\n---\na: yes')).toEqual([expect.stringMatching(/^YAML_FEATURE/)]);
  expect(codes('%YAML 1.2\n---\na: yes')).toEqual([]);
});

test('values have the types of YAML 1.2: yes, dates and 1e3 surprise nobody', () => {
  const [document] = readYaml('a: yes\nb: 2024-01-01\nc: 0o17\nd: ~\ne: 1.0\nf: "1"\n1: x\nnull: y');
  expect(document?.node && materialize(document.node, [])).toEqual({
    a: 'yes',
    b: '2024-01-01',
    c: 15,
    d: null,
    e: 1,
    f: '1',
    1: 'x',
    null: 'y',
  });
});

test('empty documents and comments are no documents', () => {
  expect(readYaml('# nothing\n')).toEqual([]);
  expect(readYaml('---\n---\n# x\n---\na: 1\n---\n')).toHaveLength(1);
});

test('places survive CRLF, comments and several documents', () => {
  const text = 'a: 1\r\n---\r\n# about b\r\nb:\r\n  - c: "x"\r\n';
  const node = readYaml(text)[1]?.node;
  if (!node) throw new Error('the second document was not read');
  const { start, end } = locate(node, ['b', '0', 'c'], 'value');
  expect(text.slice(start, end)).toBe('"x"');
  const key = locate(node, ['b'], 'key');
  expect(text.slice(key.start, key.end)).toBe('b');
});

test.for(['['.repeat(100_000), '- '.repeat(10_000), '{a: '.repeat(10_000), '['.repeat(70) + ']'.repeat(70)])(
  'nesting of %.12s… is refused',
  { timeout: 60_000 },
  (text) => {
    expect(codes(text)).toContainEqual(expect.stringMatching(/^TOO_DEEP/));
  },
);

test.for([
  ['one tab', 'a:\n  b: 1\n\tc: 2\n  d: 3\n', ['SYNTAX@10']],
  ['one tab in a list of values', 'a: [1,\n\t2]\nb: 1\n', ['SYNTAX@8']],
  ['two tabs', 'a:\n  b: 1\n\tc: 2\n\td: 3\n', ['SYNTAX@10', 'SYNTAX@16']],
  ['a list item among keys', 'a: 1\n- b\nc: 2\n', ['SYNTAX@5']],
  ['two mistakes of their own', 'a: b: c\nd: e: f\n', ['SYNTAX@3', 'SYNTAX@11']],
] as const)('%s: one finding for each mistake', ([, text, expected]) => {
  expect(codes(text)).toEqual(expected);
});
