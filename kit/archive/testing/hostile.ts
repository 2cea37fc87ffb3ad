/** Generated archives. */
import * as fc from 'fast-check';
import { pax, type RawEntry } from './raw-tar.ts';

const wicked = ['..', '.', '', '/', 'a-1', 'x', 'y', 'l', 'canary', 'cafe\u0301', 'café', '\\', '\0', '\u202e', 'é', '~', '-rf', ' '];
const names = fc.array(fc.constantFrom(...wicked), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));
const ordinary = fc.array(fc.constantFrom('x', 'y', 'l', 'dir'), { minLength: 1, maxLength: 3 }).map((parts) => `a-1/${parts.join('/')}`);
const name = fc.oneof(
  { weight: 5, arbitrary: ordinary },
  { weight: 1, arbitrary: names },
  { weight: 1, arbitrary: names.map((n) => `a-1/${n}`) },
);
const entry: fc.Arbitrary<RawEntry | Buffer> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      name,
      type: fc.oneof(
        { weight: 7, arbitrary: fc.constantFrom('0', '0', '\0', '5') },
        { weight: 1, arbitrary: fc.constantFrom('1', '2', '3', '6', '7', 'L', 'K', 'S', 'g', 'x', 'A') },
      ),
      link: fc.oneof({ weight: 9, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constantFrom('../canary', '/etc', 'x') }),
      data: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, { weight: 2, arbitrary: fc.string({ maxLength: 600 }) }),
      checksumOff: fc.oneof({ weight: 30, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(256) }),
      magic: fc.oneof(
        { weight: 20, arbitrary: fc.constant('ustar\u000000') },
        { weight: 1, arbitrary: fc.constantFrom('ustar  \0', 'nothing!') },
      ),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('path', 'path', 'size', 'linkpath', 'mtime'), name).map(([key, value]) => pax({ [key]: value })),
  },
);

/** Entries of every type, with names, links and pax headers that want out, among ordinary ones, in any order. */
export const hostileArchives: fc.Arbitrary<(RawEntry | Buffer)[]> = fc.array(entry, { minLength: 1, maxLength: 6 });

/** Nothing in them wants out; most are to be taken, those in which a file and a folder have the same name are not. */
export const orderlyArchives: fc.Arbitrary<(RawEntry | Buffer)[]> = fc.array(
  fc
    .record({ name: ordinary, type: fc.constantFrom('0', '\0', '5'), data: fc.string({ maxLength: 600 }) })
    .map(({ name: path, type, data }) => ({ name: path, type, data: type === '5' ? '' : data, link: '', checksumOff: 0 })),
  { minLength: 1, maxLength: 3 },
);
