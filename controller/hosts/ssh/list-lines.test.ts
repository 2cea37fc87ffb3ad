import { expect, test } from 'vitest';
import type { ListLine } from '../../../schema/list-lines.ts';
import { readListLine } from './list-lines.ts';

const hash = 'a'.repeat(64);

test.for<ListLine>([
  { event: 'account', account: 'ana', home: null },
  { event: 'package', account: null, app: 'notas', hash, delivered: null, previous: '1.0.0', manifest: '{}' },
  { event: 'same', account: 'ana' },
  { event: 'stamp', account: null, stamp: '0az' },
  { event: 'engines', stamp: hash },
  { event: 'bad', account: null, folder: '/opt/svc-apps/x', message: 'no manifest' },
  { event: 'bad', account: 'ana', folder: '/home/ana/x', message: 'EACCES', unread: 'all' },
  { event: 'bytes', base64: 'YQ==' },
  { event: 'error', code: 'NOT_FOUND', message: 'x' },
  { event: 'end', version: '1.0.0' },
])('$event is read as it stands', (line) => {
  expect(readListLine(JSON.stringify(line))).toEqual(line);
});

test.for([
  'Welcome',
  '7',
  '{"event":"novo"}',
  '{"event":"end"}',
  `{"event":"account","account":"ana","home":"home"}`,
  `{"event":"package","account":"-o","app":"notas","hash":"${hash}","delivered":null,"previous":null,"manifest":""}`,
  '{"event":"bad","account":null,"folder":"x","message":"y","unread":{"all":1}}',
])('%s is none of ours', (line) => {
  expect(readListLine(line)).toBeNull();
});

test.for([
  ['notas', 'x', 'notas'],
  ['a'.repeat(50), hash, 'all'],
] as const)('a package %s whose line can not be taken is unread', ([app, itsHash, unread]) => {
  const line = { event: 'package', account: 'ana', app, hash: itsHash, delivered: null, previous: null, manifest: '' };
  expect(readListLine(JSON.stringify(line))).toMatchObject({ event: 'bad', account: 'ana', unread });
});

test('what a newer kit says more is no reason to refuse a line', () => {
  expect(readListLine('{"event":"end","version":"2","mais":1}')).toMatchObject({ event: 'end', version: '2' });
});

// @ts-expect-error the types are those of the schemas: a field that is required
export const incomplete: ListLine = { event: 'end' };
// @ts-expect-error and one of a wrong type
export const wrong: ListLine = { event: 'same', account: 7 };
