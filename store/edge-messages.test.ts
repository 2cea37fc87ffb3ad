import { expect, test } from 'vitest';
import { readEdges, writeEdges, type Edge } from './edge-messages.ts';
import { limits } from './limits.ts';

const asked = (n: number): Edge => ({ kind: 'enqueue', key: `Backend/ana/app-${n}`, urgent: n % 2 === 0 });

test('what is written is read, each edge once, in as many messages as are needed', () => {
  const edges = Array.from({ length: 500 }, (_, n) => asked(n % 250));
  const messages = writeEdges('one', edges);
  expect(messages.length).toBeGreaterThan(1);
  for (const message of messages) expect(Buffer.byteLength(message)).toBeLessThanOrEqual(limits.edgeMessageBytesMax);
  expect(messages.flatMap((message) => readEdges(message)?.edges ?? [])).toEqual(edges.slice(0, 250));
  expect(readEdges(messages[0]!)?.from).toBe('one');
});

test('one that is too long for any message is told as something that was missed', () => {
  const edge: Edge = { kind: 'roles', edge: { id: 's1', app: 'notas', people: Array.from({ length: 3_000 }, (_, n) => `person-${n}`) } };
  expect(writeEdges('one', [edge]).flatMap((message) => readEdges(message)?.edges ?? [])).toEqual([{ kind: 'missed' }]);
});

test('nothing that is no message of a portal is taken, and what is not understood takes nothing with it', () => {
  for (const bad of ['', 'x', 'null', '3', '[]', '{}', '{"from":1,"edges":[]}', '{"from":"a"}', '{"from":"a","edges":{}}'])
    expect(readEdges(bad)).toBeNull();
  const known = asked(2);
  const odd = [
    { kind: 'enqueue', key: 3, urgent: true },
    { kind: 'enqueue', key: 'x' },
    { kind: 'publish', person: 'ana', event: {} },
    { kind: 'roles', edge: { id: 'a', app: 'b', people: 'ana' } },
    { kind: 'of tomorrow' },
    null,
    7,
  ];
  expect(readEdges(JSON.stringify({ from: 'a', edges: [...odd, known] }))?.edges).toEqual([known]);
});
