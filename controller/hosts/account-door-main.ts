/**
 * A door: becomes a person's account for good, and does there what the portal asks for (account-door.ts). Ends with the portal; the supervisor
 * that it started does not. Exit codes: 0 the portal went, 1 it could not become the account.
 */
import path from 'node:path';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SvcError } from '../../schema/errors.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import { systemClock } from '../clock/system.ts';
import type { DoorAsk, DoorLine, DoorOrder } from './account-door.ts';
import { startLocalSupervisor } from './local-supervisor.ts';
import { become } from '../files/become-account.ts';
import { readPackageFile } from './package-folder.ts';
import { createPackageFolders } from './package-folders.ts';
import { dialSocket } from './unix-socket.ts';

const { account, place, binDir } = JSON.parse(process.argv[2] ?? '') as DoorOrder;
process.umask(0o077);
try {
  become(account);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}
const { personApps } = accountPaths(place);
const folders = createPackageFolders((folder, error) => send({ bad: folder, message: (error as Error).message }));

function send(line: DoorLine, socket?: Socket): void {
  // When the portal is gone the message is dropped, and `disconnect` ends this process.
  process.send?.(line, socket, { keepOpen: false }, () => undefined);
}

/** A full listen backlog answers EAGAIN at once (Python's default holds five): worth trying again for a while. */
const backlogRetryMs = [1, 2, 5, 10, 20, 50, 100, 200];

async function dial(socketPath: string): Promise<Socket> {
  for (const waitMs of backlogRetryMs) {
    try {
      return await dialSocket(socketPath, systemClock, true);
    } catch (error) {
      if (((error as Error).cause as NodeJS.ErrnoException | undefined)?.code !== 'EAGAIN') throw error;
      await sleep(waitMs);
    }
  }
  return await dialSocket(socketPath, systemClock, true);
}

const acts: { readonly [Ask in DoorAsk['ask']]: (ask: Extract<DoorAsk, { readonly ask: Ask }>) => Promise<unknown> } = {
  dial: ({ socketPath }) => dial(socketPath),
  supervise: () => startLocalSupervisor({ place, account: account.name, binDir, clock: systemClock }),
  list: () => folders.list(personApps, 'pessoa'),
  file: async ({ app, file }) => {
    const bytes = await readPackageFile(path.join(personApps, app), file);
    return bytes === null ? null : Buffer.from(bytes).toString('base64');
  },
};

async function answer({ id, ...ask }: DoorAsk & { readonly id: number }): Promise<void> {
  try {
    const done = await (acts[ask.ask] as (ask: DoorAsk) => Promise<unknown>)(ask);
    if (ask.ask === 'dial') send({ id, done: null }, done as Socket);
    else send({ id, done: done ?? null });
  } catch (error) {
    const code = error instanceof SvcError ? error.code : 'INTERNAL';
    send({ id, code, message: (error as Error).message });
  }
}

process.on('disconnect', () => process.exit(0));
process.on('message', (ask) => void answer(ask as DoorAsk & { readonly id: number }));
