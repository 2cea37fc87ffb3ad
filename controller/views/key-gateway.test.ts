import { expect, test } from 'vitest';
import type { Context } from '../context.ts';
import { keyGateway } from './key-gateway.ts';

test.for([true, false])('a portal without an ssh key of its own has none to change (only a plan: %s)', async (isPlan) => {
  const refuse = (): never => {
    throw new Error('no key is made');
  };
  const sshKeys = { standing: async () => null, draw: refuse, put: refuse, take: refuse, refuses: refuse };
  const context = { options: { sshKeys }, entries: { servers: new Map() }, queue: { add: refuse } } as unknown as Context;
  const events = [];
  for await (const event of keyGateway(context).rotateKey(null, isPlan)) events.push(event);
  expect(events).toEqual([{ event: 'done', text: 'the portal has no ssh key of its own, so there is none to change' }]);
});
