import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { isJobPath } from '../../schema/jobs.ts';

/** A list with a name that the portal refuses is refused whole. Read from the script, since a run of it for each character takes hours. */
test('the wrapper leaves exactly the characters in names of outputs that the portal refuses', () => {
  const script = readFileSync(path.join(import.meta.dirname, 'wrapper.sh'), 'utf8');
  const hidden = new RegExp([...script.matchAll(/^hidden\+?='(.*)'$/gm)].map(([, part]) => part).join(''));
  const differs: string[] = [];
  for (let point = 0; point <= 0x10ffff; point += 1) {
    if ((point >= 0xd800 && point <= 0xdfff) || '/\\'.includes(String.fromCodePoint(point))) continue;
    const name = String.fromCodePoint(point);
    const encoded = encodeURIComponent(name);
    const isLeft = /%(0.|1.|7F)/.test(encoded.slice(0, 3)) || hidden.test(encoded);
    if (isJobPath(`a${name}b`) === isLeft) differs.push(point.toString(16));
  }
  expect(differs).toEqual([]);
});
