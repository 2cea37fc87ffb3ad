import { expect, test } from 'vitest';
import { createLine, placeOf } from './waiting-line.ts';

test('members leave from anywhere, the others keep their order', () => {
  const line = createLine<string>();
  const [a, b, c] = ['a', 'b', 'c'].map(placeOf) as [ReturnType<typeof placeOf<string>>, ...ReturnType<typeof placeOf<string>>[]];
  expect([line.first(), line.all()]).toEqual([null, []]);
  for (const place of [a, b!, c!, a]) line.join(place);
  expect([line.first(), line.all()]).toEqual(['a', ['a', 'b', 'c']]);
  line.quit(b!);
  line.quit(b!);
  expect(line.all()).toEqual(['a', 'c']);
  line.quit(a);
  expect(line.first()).toBe('c');
  line.join(a);
  expect(line.all()).toEqual(['c', 'a']);
  line.quit(a);
  line.quit(c!);
  expect([line.first(), line.all()]).toEqual([null, []]);
  line.join(b!);
  expect(line.all()).toEqual(['b']);
});
