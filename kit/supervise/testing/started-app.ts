/** The common beginning of the supervisor's tests: a separate home with a running app in it. */
import { once } from 'node:events';
import type { AppSnapshot } from '../../../schema/supervisor-lines.ts';
import { accountPaths } from '../../../schema/server-paths.ts';
import type { StartOrder } from '../../../schema/supervisor-protocol.ts';
import { testHome, type TestClient, type TestHome } from '../../test-home.ts';
import { passMs } from './short-passes.ts';

/** Changes that each pass finds are reported within this time: less than the six passes after which all files are read, whatever was seen. */
export const roundMs = passMs * 5;

export const startOrder = (app: string, requestId = `start-${app}`): StartOrder => ({
  app,
  token: 'a-token-long-enough',
  basePath: '/',
  pinned: false,
  requestId,
  variables: {},
});

export const isListening = ({ state, socket }: AppSnapshot): boolean => state === 'running' && socket === 'listening';

export interface StartedApp {
  readonly home: TestHome;
  readonly paths: ReturnType<typeof accountPaths>;
  readonly client: TestClient;
  readonly child: Awaited<ReturnType<TestHome['supervisor']>>['child'];
  /** Pid of the backend. */
  readonly pid: number;
  readonly endSupervisor: () => Promise<void>;
}

type Begin = Parameters<typeof testHome>[0] & { readonly app?: string; readonly files?: Readonly<Record<string, string>> };

/** The home is disposed of when the test has ended. */
export async function startedApp(
  onTestFinished: (end: () => Promise<void>) => void,
  { app = 'notas', files, ...home }: Begin = {},
): Promise<StartedApp> {
  const made = testHome(home);
  onTestFinished(() => made.dispose());
  made.install(app, {}, files);
  const { child, client } = await made.supervisor();
  await client.call('subscribe');
  const { error } = await client.call('start', startOrder(app));
  if (error !== undefined) throw new Error(`the start was refused: ${error.code} ${error.message}`);
  const { process: live } = await client.state(app, isListening);
  const endSupervisor = async (): Promise<void> => {
    const died = once(child, 'exit');
    child.kill('SIGKILL');
    await died;
  };
  return { home: made, paths: accountPaths({ home: made.home, prefix: made.home }), client, child, pid: live?.pid ?? 0, endSupervisor };
}
