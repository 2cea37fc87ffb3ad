/** Acts on one server, one after the other: each answers for itself, and what the loop does is not mixed up with what somebody asked for. */
import { expect, test } from 'vitest';
import { SvcError } from '../../schema/errors.ts';
import type { Context } from '../context.ts';
import type { ServerDocument } from '../../schema/desired/documents.ts';
import type { PersonEntry, ServerEntry } from '../entries.ts';
import type { ServerAdmin } from '../hosts/server/admin.ts';
import { serverWork, prepareAccounts } from './kit-work.ts';
import { kitFixOf, newKitState } from '../hosts/server/kit-state.ts';
import { moving } from '../../schema/testing/moving.ts';

function bench(admin: Partial<ServerAdmin>) {
  const kit = newKitState(admin as ServerAdmin);
  const server = { key: 'Server/sirius', name: 'sirius', kit, observedAtMs: 1 } as unknown as ServerEntry;
  const context = {
    options: { clock: { nowMs: moving(() => 5) }, log: { warn: () => undefined } },
    queue: { add: () => undefined },
    entries: { portal: null, people: new Map() },
  } as unknown as Context;
  return { kit, server, context };
}

test('an act waits for the one under way, and is done and answers for itself', async () => {
  let end = (): void => undefined;
  const { kit, server, context } = bench({
    prepareAccounts: () =>
      new Promise((resolve) => {
        end = () => resolve(['lingering could not be enabled for ana']);
      }),
  });
  const order: string[] = [];
  const settled = prepareAccounts(context, server).catch((error: Error) => order.push(error.message));
  const removed = serverWork(context, server, 'remove', 'the server kit is taken off', () => {
    order.push('remove begins');
    return Promise.reject(new SvcError('KIT_IN_USE', 'still running'));
  }).catch((error: SvcError) => order.push(error.code));
  expect(kit.busy).toEqual({ act: 'accounts', message: 'its accounts are made ready' });
  end();
  await Promise.all([settled, removed]);
  expect(order.toSorted()).toEqual(['KIT_IN_USE', 'lingering could not be enabled for ana', 'remove begins']);
  // A refusal that somebody asked for is no failure of the loop's own work.
  expect([kit.failure?.message, kit.busy, kit.work]).toEqual(['lingering could not be enabled for ana', null, null]);
});

test('accounts are not made ready where the kit was taken off meanwhile', async () => {
  const asked: string[] = [];
  const { kit, server, context } = bench({
    prepareAccounts: async () => {
      asked.push('settle');
      return [];
    },
  });
  const removed = serverWork(context, server, 'remove', 'off', async () => {
    kit.wish = { removed: true, held: null, pending: null };
  });
  const settled = prepareAccounts(context, server);
  await removed;
  await expect(settled).rejects.toThrow(/taken off meanwhile/);
  expect(asked).toEqual([]);
});

const own = 'Server/vega names a kit or a prefix of its own: who made that folder keeps the kit in it, svc does not (docs/ssh.md)';

test.for([
  [{ local: { prefix: 'vega' } }, 'vega is this machine: it needs no server kit'],
  [{ ssh: { host: 'vega.lan', hostKey: 'k', kit: '/srv/kit' } }, own],
  [{ ssh: { host: 'vega.lan', hostKey: 'k', prefix: '/srv/try' } }, own],
] as const)('of a server with %j is told who keeps its kit', async ([spec, words]) => {
  const { server, context } = bench({});
  const document = { metadata: { name: 'vega' }, spec } as unknown as ServerDocument;
  Object.assign(server, { kit: null, placed: { document } });
  await expect(serverWork(context, server, 'kit', 'the server kit is put in place', async () => undefined)).rejects.toThrow(words);
  expect(kitFixOf(document)).toBe(words);
  const plain = { ...document, spec: { ssh: { host: 'vega.lan', hostKey: 'k' } } } as ServerDocument;
  expect(kitFixOf(plain)).toBe('svc server add vega puts that of this portal there');
});

test('accounts of people on the way to a server are made ready with those of its own', async () => {
  const asked: (readonly string[])[] = [];
  const { server, context } = bench({
    prepareAccounts: async (_origins, accounts) => {
      asked.push(accounts);
      return [];
    },
  });
  const others = [
    { name: 'ana', server, moving: null },
    { name: 'bia', server: {}, moving: { to: 'sirius', drain: null, ends: false } },
    { name: 'caio', server: {}, moving: null },
  ];
  for (const { name, ...more } of others)
    context.entries.people.set(name, { account: name, leaving: false, ...more } as unknown as PersonEntry);
  await prepareAccounts(context, server);
  expect(asked).toEqual([['ana', 'bia']]);
});
