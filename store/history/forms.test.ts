/** Documents of every kind of content as people take them along. */
import { expect, test } from 'vitest';
import * as Y from 'yjs';
import { framed } from '../room-log-contract.ts';
import { written } from './forms.ts';
import { versionIn } from './view.ts';

/** As it comes out of the log: no root has a type. */
function readAgain(write: (doc: Y.Doc) => void): Y.Doc {
  const [doc, read] = [new Y.Doc(), new Y.Doc()];
  write(doc);
  Y.applyUpdate(read, Y.encodeStateAsUpdate(doc));
  return read;
}

test('values that JSON has none for are written all the same: whole numbers as digits, bytes as base64', () => {
  const doc = readAgain((one) => {
    one.getMap('map').set('big', 2n ** 60n);
    one.getMap('map').set('bytes', Uint8Array.of(1, 2, 255));
  });
  expect(JSON.parse(written(doc, 'json'))).toEqual({ map: { big: '1152921504606846976', bytes: 'AQL/' } });
  for (const form of ['texto', 'markdown', 'html'] as const) expect(written(doc, form)).toContain('1152921504606846976');
});

test('XML with values that are none is written as its text', () => {
  const doc = readAgain((one) => {
    const paragraph = new Y.XmlElement('p');
    const fragment = one.getXmlFragment('xml');
    fragment.insert(0, [paragraph, null as never, { toString: 1 } as never]);
    paragraph.setAttribute('a', { toString: null } as never);
    paragraph.insert(0, [new Y.XmlText('sabiá')]);
    const within = new Y.XmlFragment();
    one.getMap('map').set('within', within);
    within.insert(0, [null as never]);
  });
  for (const form of ['json', 'texto', 'markdown', 'html'] as const) expect(written(doc, form)).toContain('sabiá');
});

test('deep values are not indented', () => {
  const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], Array.from({ length: 20_000 }).fill(1));
  expect(
    written(
      readAgain((one) => one.getMap('map').set('deep', deep)),
      'json',
    ).length,
  ).toBeLessThan(50_000);
});

test('a version that is too large as text is refused', { tags: ['costly'] }, () => {
  const wide = readAgain((one) => one.getText('text').insert(0, "'".repeat(14 * 1_024 * 1_024)));
  const history = { base: null, baseSeq: 0, rows: [framed([Y.encodeStateAsUpdate(wide)])], pieces: [] };
  expect(versionIn(history, 1, 'texto')?.length).toBe(14 * 1_024 * 1_024);
  expect(() => versionIn(history, 1, 'html')).toThrow('as html: ask for yjs');
});

test('an address that runs something is text in Markdown and HTML, and half a character in one is no fault', () => {
  const text = (link: string) =>
    readAgain((one) => one.getText('text').insert(0, 'aqui', { link, toString: 1 } as Record<string, unknown>));
  for (const link of ['javascript:alert(1)', ' data:text/html,x', 'file:///etc/passwd']) {
    expect(written(text(link), 'markdown')).toBe('aqui\n');
    expect(written(text(link), 'html')).not.toContain('href');
  }
  expect(written(text('https://example.org/\ud800'), 'markdown')).toBe('[aqui](https://example.org/%EF%BF%BD)\n');
});
