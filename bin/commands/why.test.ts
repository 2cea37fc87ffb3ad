import { expect, test } from 'vitest';
import { logTitle } from './why.ts';

test('one line is one line', () => expect([1, 2].map(logTitle)).toEqual(['the last log line', 'last 2 log lines']));
