/** Signing in and out is an edge for the loop: a service starts, and the session ends, without waiting for the next resync. */
import { expect, test } from 'vitest';
import { createPortalWorld } from '../testing/portal-world.ts';

test('signing in and signing out let the loop look at the person', async ({ onTestFinished }) => {
  const portal = await createPortalWorld();
  onTestFinished(() => portal.close());
  const enqueued: string[] = [];
  portal.bus.onEnqueue((key) => enqueued.push(key));
  const ana = await portal.signedIn('ana');
  expect(enqueued).toEqual(['Person/ana']);
  await ana.call('DELETE', '/api/sessao');
  expect(enqueued).toEqual(['Person/ana', 'Person/ana']);
});
