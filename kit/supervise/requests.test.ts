import { describe, expect, test } from 'vitest';
import { parseRequest } from './requests.ts';

const start = {
  id: 1,
  op: 'start',
  app: 'notas',
  token: 't0ken',
  basePath: '/',
  pinned: false,
  requestId: 'r1',
  variables: { SVC_PORTAL_URL: 'http://x' },
};
const told = (value: unknown) => {
  const parsed = parseRequest(typeof value === 'string' ? value : JSON.stringify(value));
  return parsed.ok ? 'accepted' : `${parsed.id}: ${parsed.message}`;
};

describe('the border of the supervisor', () => {
  test.for([
    { id: 1, op: 'hello' },
    { id: 1, op: 'subscribe' },
    { id: 1, op: 'subscribe', leader: 7 },
    start,
    { ...start, basePath: '/proxy/app/notas/' },
    { ...start, isMend: true },
    { id: 1, op: 'stop', app: 'notas', requestId: 'r', reason: 'StoppedByPerson' },
    { id: 1, op: 'pin', app: 'notas', pinned: true },
    { id: 1, op: 'used', app: 'notas' },
    { id: 1, op: 'doubt', app: 'notas' },
    { id: 1, op: 'log', app: 'notas', tail: 20, previous: false },
    { id: 1, op: 'follow', app: 'notas', tail: 0 },
    { id: 1, op: 'note', app: 'notas', text: 'the loader threw' },
  ])('takes %j', (request) => {
    expect(told(request)).toBe('accepted');
  });

  test.for([
    ['{', 'null: the line is not JSON'],
    ['[]', 'null: expected an object'],
    ['{"op":"hello"}', 'null: "id" must be an integer'],
    [{ id: 1, op: 'reboot' }, '1: "op" is not one of this protocol'],
    [{ id: 1, op: 'toString' }, '1: "op" is not one of this protocol'],
    [{ id: 1, op: 'hello', more: 1 }, '1: hello has no field "more"'],
    [{ ...start, app: '../x' }, '1: start needs a valid "app"'],
    [{ ...start, app: 'Notas' }, '1: start needs a valid "app"'],
    [{ ...start, token: 'a\nSVC_X=1' }, '1: start needs a valid "token"'],
    [{ ...start, token: 'a\0' }, '1: start needs a valid "token"'],
    [{ ...start, token: '' }, '1: start needs a valid "token"'],
    [{ ...start, basePath: 'x' }, '1: start needs a valid "basePath"'],
    [{ ...start, basePath: '/a b/' }, '1: start needs a valid "basePath"'],
    [{ ...start, variables: { LD_PRELOAD: 'x' } }, '1: start needs a valid "variables"'],
    [{ ...start, variables: { SVC_APP_ID: 'x' } }, '1: start needs a valid "variables"'],
    [{ ...start, variables: { SVC_X: 'a\nb' } }, '1: start needs a valid "variables"'],
    [{ ...start, variables: { SVC_X: 7 } }, '1: start needs a valid "variables"'],
    [{ ...start, isMend: 'yes' }, '1: start needs a valid "isMend"'],
    [{ ...start, requestId: undefined }, '1: start needs a valid "requestId"'],
    [{ id: 1, op: 'log', app: 'notas', tail: -1, previous: false }, '1: log needs a valid "tail"'],
    [{ id: 1, op: 'log', app: 'notas', tail: 1e9, previous: false }, '1: log needs a valid "tail"'],
    [{ id: 1, op: 'note', app: 'notas', text: 'two\nlines' }, '1: note needs a valid "text"'],
    [{ id: 1, op: 'note', app: 'notas', text: 'x'.repeat(501) }, '1: note needs a valid "text"'],
    [{ id: 1, op: 'stop', app: 'notas', requestId: 'r', reason: 'Whim' }, '1: stop needs a valid "reason"'],
  ] as const)('refuses %j', ([request, message]) => {
    expect(told(request)).toBe(message);
  });

  test('a refusal repeats no value', () => {
    expect(told({ ...start, token: 'hunter2\n' })).not.toContain('hunter2');
  });
});
