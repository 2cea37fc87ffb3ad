/** `svc repository DIR`: a repository over HTTP until it is ended, or a new publishing token for it. */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pino } from 'pino';
import { createRepositoryHandler } from '../../api/repository/serve.ts';
import { createToken } from '../../api/repository/tokens.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { openRepositoryFolder } from '../../kit/repository/publishing/folder.ts';
import { withRepositoryLock } from '../../kit/repository/publishing/lock.ts';
import { SvcError } from '../../schema/errors.ts';
import { limits } from '../../api/limits.ts';
import { portalSettings } from '../up/settings.ts';
import { createRepositoryWriter } from '../../kit/repository/publishing/receive.ts';

interface Options {
  readonly listen: string;
  readonly newToken?: boolean;
  readonly only?: readonly string[];
}

export async function runRepository(dir: string, { listen, newToken, only }: Options): Promise<void> {
  const root = path.resolve(dir);
  await openRepositoryFolder(root);
  if (newToken === true) {
    const make = (): Promise<string> => createToken(root, only ?? null, systemClock.nowMs());
    process.stdout.write(`${await withRepositoryLock(root, make)}\n`);
    return;
  }
  const log = pino({ level: process.env['SVC_LOG_LEVEL'] ?? 'info', base: null }, pino.destination({ dest: 2, sync: true }));
  const handle = createRepositoryHandler({ root, writer: createRepositoryWriter(root, systemClock), clock: systemClock, log });
  const server = http.createServer(
    {
      maxHeaderSize: limits.headerBytesMax,
      headersTimeout: limits.headersTimeoutMs,
      // An engine may take long; who does not move is let go by the handler.
      requestTimeout: 0,
      keepAliveTimeout: limits.portalKeepAliveMs,
      requireHostHeader: true,
    },
    handle,
  );
  server.maxConnections = limits.portalConnectionsMax;
  const { listenHost: host, listenPort: port } = portalSettings({}, listen);
  server.listen({ host, port });
  await once(server, 'listening').catch((error: NodeJS.ErrnoException) => {
    throw new SvcError('ADDRESS_IN_USE', `can't listen on ${listen}: ${error.message}`, {}, { cause: error });
  });
  const { port: taken } = server.address() as AddressInfo;
  process.stdout.write(`repository on http://${host.includes(':') ? `[${host}]` : host}:${taken}\n`);
  await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  server.close();
  server.closeAllConnections();
}
