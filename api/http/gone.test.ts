import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { goneSignal, onGone } from './gone.ts';

test('whatever a route waits for, its response has one listener, which tells each in turn', () => {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const told: number[] = [];
  for (const n of [1, 2, 3]) onGone(res, () => told.push(n));
  const signal = goneSignal(res);
  expect(res.listenerCount('close')).toBe(1);
  res.emit('close');
  expect([told, signal.aborted]).toEqual([[1, 2, 3], true]);
});
