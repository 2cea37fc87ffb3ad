/** The supervisors of the people who play: they outlive a portal, and `svc dev` leaves none behind. */
import { once } from 'node:events';
import { systemClock } from '../../controller/clock/system.ts';
import { dialSocket } from '../../controller/hosts/unix-socket.ts';
import { withDeadline } from '../../schema/clock.ts';
import { SvcError } from '../../schema/errors.ts';
import { processesOf, signal } from '../../kit/processes.ts';
import { accountPaths, appPaths } from '../../schema/server-paths.ts';
import { limits } from './limits.ts';

/** Nothing when there is none. */
export async function endSupervisor(home: string): Promise<void> {
  const { supervisorSocket } = accountPaths({ home, prefix: '' });
  const socket = await dialSocket(supervisorSocket, systemClock).catch(() => null);
  if (socket === null) return;
  socket.on('error', () => undefined).resume();
  socket.write(`${JSON.stringify({ id: 1, op: 'quit' })}\n`);
  const late = (): SvcError => new SvcError('TIMEOUT', `the supervisor of ${home} did not end`);
  await withDeadline(systemClock, limits.devEndMsMax, once(socket, 'close'), late).catch(() => undefined);
  socket.destroy();
}

/** Its backend, and what that started. */
export function killApp(home: string, app: string): void {
  const { socket } = appPaths({ home, prefix: '' }, app);
  for (const { identity, leader } of processesOf({ app, socket })) signal(leader ? -identity.pid : identity.pid, 'SIGKILL');
}
