import { beforeEach, describe, expect, test } from 'vitest';
import * as Y from 'yjs';
import { addThread, newAnchor, passageOf, readThreads, reply, setResolved, threadWith, type Message } from './comments.ts';

let doc: Y.Doc;
let text: Y.Text;
let comments: Y.Doc;
const message = (id: string, texto = 'hm'): Message => ({ id, usuario: 'ana', nome: 'Ana', em: 1, texto });
const comment = (id: string, from: number, to: number): void => addThread(comments, passageOf(text, { from, to }), message(id));
const places = (): unknown => readThreads(comments, text).map(({ id, from, to }) => [id, from, to]);

beforeEach(() => {
  doc = new Y.Doc();
  comments = new Y.Doc();
  text = doc.getText('texto');
  text.insert(0, 'um dois três');
});

describe('a thread', () => {
  test('keeps to its passage while others write before, within and at its edges', () => {
    comment('a', 3, 7);
    text.insert(0, '>> ');
    expect(places()).toEqual([['a', 6, 10]]);
    text.insert(10, '!');
    text.insert(6, '«');
    expect(places()).toEqual([['a', 7, 11]]);
    text.insert(9, '--');
    expect(places()).toEqual([['a', 7, 13]]);
    expect(text.toJSON().slice(7, 13)).toBe('do--is');
  });

  test('says that its passage was deleted', () => {
    comment('a', 3, 7);
    text.delete(2, 6);
    expect(readThreads(comments, text)).toMatchObject([{ id: 'a', from: null, to: null, trecho: 'dois' }]);
  });

  test('is found by any of its messages, answered, resolved and opened again', () => {
    comment('a', 0, 2);
    reply(comments, 'a', message('b', 'certo'));
    expect(threadWith(readThreads(comments, text), 'b')).toMatchObject({ id: 'a', messages: [{ id: 'a' }, { id: 'b', texto: 'certo' }] });
    setResolved(comments, 'a', true);
    expect(readThreads(comments, text)[0]?.resolvido).toBe(true);
    setResolved(comments, 'a', false);
    expect(readThreads(comments, text)[0]?.resolvido).toBe(false);
  });

  test('two people answer at once, and both answers are there on both sides', () => {
    comment('a', 0, 2);
    const other = new Y.Doc();
    Y.applyUpdate(other, Y.encodeStateAsUpdate(comments));
    reply(comments, 'a', message('b'));
    reply(other, 'a', message('c'));
    Y.applyUpdate(other, Y.encodeStateAsUpdate(comments));
    Y.applyUpdate(comments, Y.encodeStateAsUpdate(other));
    const ids = (from: Y.Doc): unknown => readThreads(from, text)[0]?.messages.map(({ id }) => id);
    expect(ids(comments)).toHaveLength(3);
    expect(ids(other)).toEqual(ids(comments));
  });
});

test('threads come in the order of the text', () => {
  comment('b', 8, 12);
  comment('a', 0, 2);
  expect(places()).toEqual([
    ['a', 0, 2],
    ['b', 8, 12],
  ]);
});

test('what another client wrote wrongly is left out and breaks nothing', () => {
  const threads = comments.getMap('comentarios');
  threads.set('x', 'não é conversa');
  threads.set('y', new Y.Map());
  const bad = new Y.Map<unknown>();
  threads.set('z', bad);
  const messages = new Y.Array<unknown>();
  bad.set('mensagens', messages);
  bad.set('inicio', { type: 7, item: 'q' });
  bad.set('fim', 3);
  messages.push([null, 4, { id: 1 }, { ...message('ok') }]);
  expect(readThreads(comments, text)).toMatchObject([{ id: 'z', from: null, messages: [{ id: 'ok' }] }]);
});

test('an anchor is one that the portal takes, and not the same twice', () => {
  const anchors = Array.from({ length: 200 }, newAnchor);
  expect(new Set(anchors).size).toBe(200);
  for (const anchor of anchors) expect(anchor).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
});
