/** Host drivers by Server document. `ssh` follows with its own issue: such a server is there, and says that it can't be reached. */
import path from 'node:path';
import type { Host } from '../../controller/hosts/host.ts';
import { createLocalHost } from '../../controller/hosts/local.ts';
import type { Log } from '../../controller/loop/record.ts';
import type { Clock } from '../../schema/clock.ts';
import type { ServerDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';

export interface HostParts {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The folder of this command: the supervisor stands beside it. */
const binDir = path.resolve(import.meta.dirname, '..');

export function createHost({ stateDir, clock, log }: HostParts, { metadata, spec }: ServerDocument, readOnly: boolean): Host {
  const server = metadata.name;
  if (!('local' in spec)) return unreachableHost(server, 'this release has the local driver only');
  const { prefix } = spec.local;
  return createLocalHost({
    server,
    prefix: prefix === undefined ? '' : path.resolve(stateDir, prefix),
    binDir,
    clock,
    readOnly,
    onBadPackage: (folder, error) => log.warn({ server, folder, error: (error as Error).message }, 'package can not be read'),
  });
}

function unreachableHost(server: string, why: string): Host {
  const refuse = (): Promise<never> => Promise.reject(new SvcError('SERVER_UNREACHABLE', `${server} can't be reached: ${why}`));
  return {
    server,
    place: refuse,
    dial: refuse,
    directSocketPath: () => null,
    startSupervisor: refuse,
    installed: refuse,
    install: refuse,
    rollBack: refuse,
    confirm: refuse,
    remove: refuse,
    close: async () => undefined,
  };
}
