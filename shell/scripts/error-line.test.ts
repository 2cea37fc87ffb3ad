import { expect, test } from 'vitest';
import { errorLine } from './error-line.ts';

test.for([
  [new Error('não\n\tdeu\u0000 '), 'não deu'],
  ['sem sorte', 'sem sorte'],
  [new Error(''), 'an error without words'],
  [Object.create(null), 'an error without words'],
  [new Error('x'.repeat(6_000)), 'x'.repeat(500)],
] as const)('%o is told as %s', ([thrown, line]) => expect(errorLine(thrown)).toBe(line));
