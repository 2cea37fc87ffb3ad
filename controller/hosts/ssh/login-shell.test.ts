import { expect, test } from 'vitest';
import { shellError } from './login-shell.ts';

test.for(['prints', 'ends'] as const)('what a login shell says is told without what a terminal would obey (%s)', (kind) => {
  const { message } = shellError('ana', { kind, text: '\n \u001b[2J\u009b1Aola\u202e\rfim\nmais' });
  expect(message).toContain('“[2J 1Aola  fim”');
});
