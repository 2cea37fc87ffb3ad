import { expect, test } from 'vitest';
import { crashOf, saidLast } from './crash.ts';

const dir = '/tmp/svc-t-1/package';
const python = `Traceback (most recent call last):
  File "${dir}/backend/main.py", line 48, in <module>
    sys.exit(servidor.escutar(Pedido, sys.argv[1:]))
  File "${dir}/backend/outro.py", line 7, in f
    return x
  File "/usr/lib/python3.11/re.py", line 1, in g
    return y
NameError: name 'x' is not defined
`;
const syntax = `  File "${dir}/backend/main.py", line 27
    )
    ^
SyntaxError: unmatched ')'
`;
const node = `file://${dir}/backend/main.mjs:12
const a = ;
          ^

SyntaxError: Unexpected token ';'
    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)

Node.js v24.1.0
`;
const thrown = `node:internal/modules/cjs/loader:1
Error: Cannot find module './x'
    at Function.f (node:internal/modules/cjs/loader:1225:15)
    at Object.<anonymous> (${dir}/backend/main.cjs:3:9)
    at g (${dir}/backend/outro.cjs:9:9)
`;

test.for([
  ['a traceback', python, 'backend/outro.py:7', "NameError: name 'x' is not defined"],
  ['a syntax error of Python', syntax, 'backend/main.py:27', "SyntaxError: unmatched ')'"],
  ['a syntax error of Node', node, 'backend/main.mjs:12', "SyntaxError: Unexpected token ';'"],
  ['an error of Node', thrown, 'backend/main.cjs:3', "Error: Cannot find module './x'"],
] as const)('%s has its place and its name', ([, output, place, error]) => {
  expect(crashOf(output, dir)).toEqual({ place, error });
});

test('what names no file of the app is its last line', () => {
  expect(crashOf('Error: x\n', dir)).toBeNull();
  expect(saidLast('one\ntwo\n', dir)).toBe('two');
  expect(saidLast(syntax, dir)).toBe("backend/main.py:27 SyntaxError: unmatched ')'");
});
