/** Documents and edits for tests, the same for the same seed: every kind of content that Yjs has. */
import * as Y from 'yjs';
import { createRandom } from '../../../test/simulation/random.ts';

/** Whole numbers below `max`. */
export function randomOf(seed: number): (max: number) => number {
  const { next } = createRandom(seed);
  return (max) => Math.floor(next() * max);
}

const words = ['a', 'Olá', 'ação ✓', '😀', 'x'.repeat(40), 'Zürich', '\u0000', '漢字'];

/** Makes an edit of a kind chosen at random. */
export function editAtRandom(doc: Y.Doc, random: (max: number) => number): void {
  const text = doc.getText('text');
  const list = doc.getArray<unknown>('list');
  const map = doc.getMap<unknown>('map');
  const word = words[random(words.length)]!;
  const kinds: (() => void)[] = [
    () => text.insert(random(text.length + 1), word),
    () => text.insert(text.length, 'z'),
    () => void (text.length > 3 && text.delete(random(text.length - 2), 1 + random(2))),
    () => void (text.length > 4 && text.format(random(text.length - 3), 2, { bold: random(2) === 0 ? true : null })),
    () => text.insertEmbed(random(text.length + 1), { image: word }),
    () =>
      list.insert(random(list.length + 1), [random(1000), word, null, true, 1.5, { deep: [word] }, new Uint8Array([1, 2, random(255)])]),
    () => void (list.length > 2 && list.delete(random(list.length - 1), 1)),
    () => map.set(word, random(3) === 0 ? new Y.Text(word) : { n: random(9) }),
    () => map.delete(word),
    () => map.set('doc', new Y.Doc({ guid: word })),
    () => doc.getXmlFragment('xml').insert(0, [new Y.XmlElement('p'), new Y.XmlText(word)]),
  ];
  kinds[random(kinds.length)]!();
}

/**
 * The content of the roots of `editAtRandom`, without formats, which Yjs tidies up in each document in its own time, and with surrogates shown as if
 * cut, since an edit may have cut them.
 */
export function contentOf(doc: Y.Doc): string {
  const map = Object.entries(doc.getMap('map').toJSON()).sort(([one], [other]) => (one < other ? -1 : 1));
  const text = (doc.getText('text').toDelta() as { insert: unknown }[]).flatMap(({ insert }) =>
    typeof insert === 'string' ? insert.replaceAll(/[\ud800-\udfff]/g, '\ufffd').split('') : [insert],
  );
  return JSON.stringify([text, doc.getArray('list').toJSON(), map, doc.getXmlFragment('xml').toJSON()]);
}
