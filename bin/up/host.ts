/** Host drivers by Server document. */
import path from 'node:path';
import type { Host } from '../../controller/hosts/host.ts';
import { peopleByAccount } from '../../controller/hosts/account-people.ts';
import { createLocalHost } from '../../controller/hosts/local.ts';
import { isRoot } from '../../controller/hosts/own-account.ts';
import { credentialOf, publicKeyAt, publicKeyOf } from '../../controller/hosts/ssh/credential.ts';
import { createConnections } from '../../controller/hosts/ssh/connections.ts';
import { forwardsSockets } from '../../controller/hosts/ssh/forwarding.ts';
import { createSshHost } from '../../controller/hosts/ssh/host.ts';
import type { Log } from '../../controller/loop/record.ts';
import { kitFixOf, managesKit } from '../../controller/servers/kit-state.ts';
import { createServerAdmin, type KitTarball, type ServerAdmin } from '../../controller/servers/admin.ts';
import { serverKit } from '../../kit/server/made.ts';
import type { Clock } from '../../schema/clock.ts';
import type { ServerDocument } from '../../schema/desired/documents.ts';
import { packSource } from './pack-source.ts';

export interface HostParts {
  readonly stateDir: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The folder of this command: the supervisor is beside it. */
const binDir = path.resolve(import.meta.dirname, '..');

export function createHost({ stateDir, clock, log }: HostParts, document: ServerDocument, readOnly: boolean): Host {
  const { metadata, spec } = document;
  const server = metadata.name;
  const onBadPackage = (folder: string, error: unknown): void =>
    log.warn({ server, folder, error: (error as Error).message }, 'package can not be read');
  if ('ssh' in spec) {
    const { host, port = 22, hostKey, admin = 'root', key, kit = '/opt/svc', prefix = '' } = spec.ssh;
    return createSshHost({
      server,
      target: { host, port, hostKey },
      admin,
      credential: () => credentialOf(key, stateDir, process.env, { readOnly }),
      kit,
      prefix,
      clock,
      pack: (source) => packSource(source, stateDir),
      onBadPackage,
      kitFix: kitFixOf(document),
    });
  }
  const { prefix } = spec.local;
  const options = {
    server,
    prefix: prefix === undefined ? '' : path.resolve(stateDir, prefix),
    binDir,
    clock,
    readOnly,
    onBadPackage,
  };
  if (!isRoot()) return createLocalHost(options);
  return createLocalHost(options, peopleByAccount({ ...options, specPrefix: prefix, pack: (source) => packSource(source, stateDir) }));
}

/**
 * The administrator's side of a server; null for this machine, and where the document names another kit folder, which svc does not manage.
 */
export function createAdmin({ stateDir, clock }: HostParts, document: ServerDocument): ServerAdmin | null {
  const { metadata, spec } = document;
  if (!('ssh' in spec) || !managesKit(document)) return null;
  const { host, port = 22, hostKey, admin = 'root', key } = spec.ssh;
  const credential = () => credentialOf(key, stateDir, process.env);
  const connections = createConnections({ target: { host, port, hostKey }, admin, credential, clock });
  return createServerAdmin({
    server: metadata.name,
    admin,
    runner: connections.admin(),
    forwards: (account, node) => forwardsSockets(connections.of(account), node),
    publicKey: async () => publicKeyOf(await credential()),
    publicKeyAt: publicKeyAt(key, stateDir),
    hurry: () => connections.admin().hurry(),
    close: () => connections.close(),
    scripts: path.resolve(binDir, '../kit/server'),
    clock,
  });
}

/** The tarball of this very installation for servers with that processor. */
export async function kitFor(arch: string): Promise<KitTarball> {
  return await serverKit(path.resolve(binDir, '..'), arch);
}
