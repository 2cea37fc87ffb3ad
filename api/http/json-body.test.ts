import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as turnEnd } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createPersonLines } from './json-body.ts';

test('large bodies of a person are read one after the other, those of another one meanwhile; whoever hangs up keeps nobody waiting', async () => {
  const oneOf = createPersonLines();
  const begun: string[] = [];
  const ask = async (name: string, person: string, response: EventEmitter): Promise<void> => {
    const leave = await oneOf(person, response as ServerResponse);
    begun.push(name);
    if (name === 'ana 2') leave();
  };
  const responses = Array.from({ length: 4 }, () => new EventEmitter());
  const asked = ['ana 1', 'ana 2', 'bia 1', 'ana 3'].map((name, at) => ask(name, name.slice(0, 3), responses[at]!));
  await turnEnd();
  expect(begun).toEqual(['ana 1', 'bia 1']);
  responses[1]!.emit('close');
  responses[0]!.emit('close');
  await Promise.all(asked);
  expect(begun.slice(2)).toEqual(['ana 2', 'ana 3']);
});

test('a client that was gone before it came to the line holds nobody up, and nobody waits for long', async () => {
  const oneOf = createPersonLines(50);
  const gone = Object.assign(new EventEmitter(), { closed: true });
  await oneOf('ana', gone as unknown as ServerResponse);
  const leave = await oneOf('ana', new EventEmitter() as ServerResponse);
  await expect(oneOf('ana', new EventEmitter() as ServerResponse)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  leave();
  expect(await oneOf('ana', new EventEmitter() as ServerResponse)).toBeInstanceOf(Function);
});
