import { expect, test, vi } from 'vitest';
import { byteSize, jsonText, listing, plain, safeForTerminal, span, table, warn, wrap, write } from './output.ts';
import { parseAllDocuments, yamlText } from './yaml.ts';

interface Row {
  readonly name: string;
  readonly text: string;
}
const columns = [
  { title: 'NAME', of: ({ name }: Row) => name },
  { title: 'TEXT', of: ({ text }: Row) => text },
];

test('columns are aligned, the last is cut at the width of the line, and nothing trails', () => {
  const rows = [
    { name: 'a', text: 'short' },
    { name: 'longer', text: 'x'.repeat(100) },
    { name: 'b', text: '' },
  ];
  const lines = table(rows, columns, 40).split('\n');
  expect(lines).toEqual(['NAME    TEXT', 'a       short', `longer  ${'x'.repeat(31)}…`, 'b', '']);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(40);
});

test('a cell can not move the cursor, color the rest, or turn the line around', () => {
  expect(plain('a\u001b[31mb\u001b]0;title\u0007c\r\nd\u202ee\u0085f')).toBe('abc d e f');
});

test('logs keep colors and line breaks and lose everything else', () => {
  expect(safeForTerminal('\u001b[32mok\u001b[0m\r\n\tx\n')).toBe('\u001b[32mok\u001b[0m\n\tx\n');
  expect(safeForTerminal('Erro: falhou\rTudo certo')).toBe('Erro: falhou\nTudo certo');
  expect(safeForTerminal('\u001b]0;evil\u0007\u001b[2J\u0000')).not.toMatch(/[\u0000-\u0008\u001b]/);
});

test.for([
  ['write', 'stdout', write],
  ['warn', 'stderr', warn],
] as const)('%s lets nothing through to a terminal on %s that moves it, and changes nothing in a pipe', ([, name, say]) => {
  const stream = process[name];
  const { isTTY } = stream;
  const written = vi.spyOn(stream, 'write').mockReturnValue(true);
  try {
    for (stream.isTTY of [true, false]) say('said \u001b[2Jhere\n');
    expect(written.mock.calls.map(([text]) => text)).toEqual(['said \ufffd[2Jhere\n', 'said \u001b[2Jhere\n']);
  } finally {
    written.mockRestore();
    stream.isTTY = isTTY;
  }
});

/** Examples of each kind that moves a terminal, turns the text around or is not shown. */
const hidden = [
  '\u0007',
  '\u001b',
  '\u007f',
  '\u0085',
  '\u009b2J',
  '\u061c',
  '\u200e',
  '\u202e',
  '\u2028',
  '\u2029',
  '\u2066',
  '\u{e0041}',
  '\ud800',
  '\ufeff',
];

test.for(hidden.map((text) => [text]))(
  '%j reaches no terminal: not in a cell, a log, JSON or YAML, where programs read it back',
  ([text = '']) => {
    const value = { [`k${text}`]: `a${text}b`, lista: [text] };
    const [json, indented, yaml] = [jsonText(value), jsonText(value, 2), yamlText(value)];
    const [first = ''] = text;
    for (const shown of [plain(`a${text}b`), safeForTerminal(`a${text}b`), json, indented, yaml]) expect(shown).not.toContain(first);
    expect([JSON.parse(json), JSON.parse(indented), parseAllDocuments(yaml)[0]?.toJS()]).toEqual([value, value, value]);
  },
);

test('joiners, emoji and letters of other scripts stay as they are', () => {
  const value = { nome: '👩‍👩‍👧 نامه‌ای ação\n\tb' };
  expect([JSON.parse(jsonText(value)), parseAllDocuments(yamlText(value))[0]?.toJS()]).toEqual([value, value]);
  expect([plain(value.nome), safeForTerminal(value.nome)]).toEqual(['👩‍👩‍👧 نامه‌ای ação b', value.nome]);
});

test('text is wrapped at words and indented', () => {
  expect(wrap('aaa bbb ccc', 2, 9)).toBe('aaa bbb\n  ccc');
});

test.for([
  [0, '0s'],
  [119_000, '119s'],
  [120_000, '2m'],
  [7_200_000, '2h'],
  [-90_000, '90s'],
  [4 * 86_400_000, '4d'],
] as const)('%i ms is %s', ([ms, text]) => {
  expect(span(ms)).toBe(text);
});

test.for([
  [0, '0 B'],
  [1_023, '1023 B'],
  [1_536, '1.5 KB'],
  [64 * 1_024 * 1_024, '64 MB'],
  [1_610_612_736, '1.5 GB'],
] as const)('%i bytes are shown as %s', ([bytes, text]) => {
  expect(byteSize(bytes)).toBe(text);
});

test('into a pipe no cell is cut; a width that is asked for holds there too', () => {
  const rows = [{ name: 'a', text: 'x'.repeat(300) }];
  expect(table(rows, columns)).toContain('x'.repeat(300));
  vi.stubEnv('COLUMNS', '80');
  expect(table(rows, columns).split('\n')[1]).toHaveLength(80);
  vi.unstubAllEnvs();
});

test('the wide table has all columns and cuts nothing, also on a narrow terminal', () => {
  const rows = [{ name: 'a', text: 'x'.repeat(300) }];
  const all = [columns[0]!, { title: 'MORE', isWide: true, of: () => 'y' }, columns[1]!];
  vi.stubEnv('COLUMNS', '80');
  expect(listing(rows, all, 'wide')).toBe(`NAME  MORE  TEXT\na     y     ${'x'.repeat(300)}\n`);
  expect(listing(rows, all, 'table')).toBe(`NAME  TEXT\na     ${'x'.repeat(73)}…\n`);
  vi.unstubAllEnvs();
});
