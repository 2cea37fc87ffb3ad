import { expect, test } from 'vitest';
import { mediaType } from './attachments.ts';

test.for([
  [undefined, 'application/octet-stream'],
  [' Text/Plain ;q=1', 'text/plain'],
] as const)('Content-Type %j is %s', ([header, expected]) => {
  expect(mediaType(header)).toBe(expected);
});
test.for(['', 'image', 'image/', '/png', 'a b/c', 'image/png\u00e9', 'a/b, c/d', `a/${'x'.repeat(200)}`])(
  'Content-Type %j is none',
  (header) => {
    expect(() => mediaType(header)).toThrowError(expect.objectContaining({ code: 'UNSUPPORTED_MEDIA' }));
  },
);
