/** The portal credential of server-scope apps (decision 0203): written on their server, and ended when nothing of that start is left. */
import { keys } from '../../schema/keys.ts';
import type { ActionOf } from '../../reconcilers/actions.ts';
import { SvcError } from '../../schema/errors.ts';
import type { ServiceEntry } from '../entries.ts';
import { guarded, type ExecutorOptions, type Executors } from './guarded.ts';

type ServiceKinds = 'service/give' | 'service/take' | 'service/restart';

export function serviceExecutors(options: ExecutorOptions): Pick<Executors, ServiceKinds> {
  const { credentials } = options;
  const writes =
    (service: ServiceEntry) =>
    async (variables: Readonly<Record<string, string>>): Promise<void> => {
      const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}\n`);
      await service.server.host.credential(service.app, ['give\n', ...lines].join(''));
    };
  return {
    'service/give': (action) => act(options, action, (service) => credentials.giveService(service, writes(service))),
    'service/take': (action) =>
      act(options, action, async (service) => {
        await credentials.endService(action.server, action.app);
        await writes(service)({});
      }),
    'service/restart': (action) =>
      act(options, action, async (service) => {
        await service.server.host.credential(service.app, 'restart\n');
      }),
  };
}

/** Runs an act and drops the observed credential; after a failure it is observed again a little later. */
async function act(
  options: ExecutorOptions,
  { kind, server, app }: ActionOf<ServiceKinds>,
  run: (service: ServiceEntry) => Promise<void>,
): Promise<void> {
  const key = keys.service(server, app);
  const service = options.entries.servers.get(server)?.services.get(app);
  const failed = await guarded(options, key, async () => {
    if (!service) throw new SvcError('NOT_FOUND', `no server-scope app ${app} on ${server}`);
    await run(service);
  });
  if (!service) return;
  service.credential = null;
  // A restart is under way for a while.
  const isDone = failed === null && kind !== 'service/restart';
  service.credentialSeenMs = isDone ? 0 : options.clock.nowMs();
  if (isDone) options.onChange(key);
}
