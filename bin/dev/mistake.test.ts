import { expect, test } from 'vitest';
import { createReadable, mistakeOf } from './mistake.ts';

const of = (text: string): readonly [string | undefined, number | undefined] => {
  const found = mistakeOf(text.split('\n'), '/a/notas');
  return [found?.text, found?.lines.length];
};

test('of Python: the innermost line of the author, and the last of several tries', () => {
  const once = `ouvindo
Traceback (most recent call last):
  File "/a/notas/backend/main.py", line 27, in <module>
    ler()
  File "/usr/lib/python3/json/decoder.py", line 355, in raw_decode
    raise JSONDecodeError("x")
json.decoder.JSONDecodeError: Expecting value`;
  expect(of(`${once}\n${once}`)).toEqual(['main.py:27 json.decoder.JSONDecodeError: Expecting value', 6]);
  expect(of(`  File "/a/notas/backend/main.py", line 3\n    f())\n       ^\nSyntaxError: unmatched ')'`)).toEqual([
    "main.py:3 SyntaxError: unmatched ')'",
    4,
  ]);
});

test('of Node: file and line first, without its own frames', () => {
  expect(
    of(`file:///a/notas/backend/main.mjs:2
const y = (;
           ^

SyntaxError: Unexpected token ';'
    at compileSourceTextModule (node:internal/modules/esm/utils:319:16)
    at node:internal/modules/esm/loader:636:32

Node.js v24.21.0`),
  ).toEqual(["main.mjs:2 SyntaxError: Unexpected token ';'", 4]);
  expect(
    of(`file:///a/notas/node_modules/x/i.js:9
  throw new Error('x')
  ^

TypeError: Cannot read properties of null
    at f (file:///a/notas/node_modules/x/i.js:9:20)
    at file:///a/notas/backend/main.mjs:3:1`),
  ).toEqual(['i.js:9 TypeError: Cannot read properties of null', 6]);
  expect(of(`node:internal/modules/x:331\n  throw new E();\n        ^\n\nError [ERR_MODULE_NOT_FOUND]: Cannot find package 'fsx'`)).toEqual(
    ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'fsx'", 1],
  );
});

test('of a compiler: its first error; of other words nothing', () => {
  expect(of(`backend/src/main.c: In function 'main':\nbackend/src/main.c:12:3: error: expected ';'\n   12 | x`)).toEqual([
    "main.c:12 error: expected ';'",
    2,
  ]);
  expect(mistakeOf(['ouvindo', 'porta ocupada'], '/a')).toBe(null);
});

test('of a log that is followed what Node says of its own insides is left out', () => {
  const lines = [
    'ouvindo',
    '',
    'node:internal/modules/package_json_reader:301',
    '  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);',
    '        ^',
    '',
    "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'fsx' imported from /a/notas/backend/main.mjs",
    '    at Object.getPackageJSONURL (node:internal/modules/package_json_reader:301:9)',
    '    at file:///a/notas/backend/main.mjs:3:1',
    '',
    'Node.js v24.21.0',
  ];
  expect(lines.filter(createReadable())).toEqual([lines[0], '', '', lines[6], lines[8], '']);
  const cut = ['node:internal/x:1', 'Error: of mine', '    at f (/a/notas/backend/main.mjs:9:1)'];
  expect(cut.filter(createReadable())).toEqual(cut.slice(1));
});
