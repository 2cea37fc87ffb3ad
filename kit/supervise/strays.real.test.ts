/** A child that left the session of its backend, on a machine without cgroups: it carries the app's mark, and a crash ends it too. */
import { expect, test as plain } from 'vitest';
import { isAlive, identityOf } from '../processes.ts';
import { echoBackend, homeFixture, until, type TestHome } from '../test-home.ts';
import { isListening, startOrder } from './testing/started-app.ts';

const test = plain.extend<{ home: TestHome }>(homeFixture);

test('a child in a session of its own does not outlive a crash of its backend', async ({ home }) => {
  const child = 'import os, time\nif os.fork() == 0:\n    os.setsid()\n    time.sleep(3600)\n';
  home.install('filho', {}, { 'main.py': `${child}${echoBackend}` });
  const { client } = await home.supervisor();
  await client.call('subscribe');
  await client.call('start', startOrder('filho'));
  const { process: live } = await client.state('filho', isListening);
  const [stray = 0] = await until('the child', () => {
    const others = home.backends('filho').filter((pid) => pid !== live!.pid);
    return others.length === 1 ? others : null;
  });
  const left = identityOf(stray)!;
  process.kill(live!.pid, 'SIGKILL');
  const again = await client.state('filho', (s) => s.state === 'running' && s.process !== null && s.process.pid !== live!.pid);
  expect(again.restarts).toBe(1);
  expect(isAlive(left)).toBe(false);
  await until('the new one and its child, and nobody else', () => home.backends('filho').length === 2);
});
