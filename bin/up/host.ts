/** Host drivers by Server document. */
import path from 'node:path';
import type { Host } from '../../controller/hosts/host.ts';
import { peopleByAccount } from '../../controller/hosts/account-people.ts';
import { limits as hostLimits } from '../../controller/hosts/limits.ts';
import { createLocalHost } from '../../controller/hosts/local.ts';
import { isRoot } from '../../controller/hosts/own-account.ts';
import { credentialOf, publicKeyAt, publicKeyOf } from '../../controller/hosts/ssh/credential.ts';
import { connectSsh } from '../../controller/hosts/ssh/connect.ts';
import { createConnections, createGate } from '../../controller/hosts/ssh/connections.ts';
import {
  keyMadeAtMs,
  newKey,
  portalKeys,
  publicLineOf,
  putNextKey,
  takeNextKey,
  withoutComment,
} from '../../controller/hosts/ssh/portal-key.ts';
import { forwardsSockets } from '../../controller/hosts/ssh/forwarding.ts';
import { createSshHost } from '../../controller/hosts/ssh/host.ts';
import type { Log } from '../../controller/work/record.ts';
import { kitFixOf, managesKit } from '../../controller/hosts/server/kit-state.ts';
import { createServerAdmin, type KitTarball, type ServerAdmin } from '../../controller/hosts/server/admin.ts';
import type { SshKeys } from '../../controller/hosts/server/ssh-keys.ts';
import { serverKit } from '../../kit/server/made.ts';
import type { Clock } from '../../schema/clock.ts';
import type { ServerDocument } from '../../schema/desired/documents.ts';
import { SvcError } from '../../schema/errors.ts';
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

/** The key in STATE/ssh. */
export function createSshKeys({ stateDir, clock }: Pick<HostParts, 'stateDir' | 'clock'>): SshKeys {
  const gate = createGate(hostLimits.sshHandshakesPerServerMax);
  return {
    standing: async () => {
      const madeAtMs = await keyMadeAtMs(stateDir);
      if (madeAtMs === null) return null;
      const { current, next } = await portalKeys(stateDir);
      return { current: withoutComment(current.publicLine), madeAtMs, next: next === null ? null : withoutComment(next.publicLine) };
    },
    draw: () => {
      const privateKey = newKey();
      return { privateKey, publicKey: withoutComment(publicLineOf(Buffer.from(privateKey))) };
    },
    put: async (privateKey) => withoutComment((await putNextKey(stateDir, privateKey)).publicLine),
    take: () => takeNextKey(stateDir),
    refuses: ({ spec }, account, which) =>
      gate(async () => {
        if (!('ssh' in spec)) return new SvcError('BAD_REQUEST', 'it is this machine');
        const { host, port = 22, hostKey } = spec.ssh;
        const key = (await portalKeys(stateDir))[which];
        if (key === null) return new SvcError('SSH_REFUSED', 'there is no such key');
        const credential = { kind: 'key', privateKey: key.privateKey } as const;
        try {
          (await connectSsh({ target: { host, port, hostKey }, username: account, credential, clock })).end();
          return null;
        } catch (error) {
          return error instanceof SvcError ? error : new SvcError('SERVER_UNREACHABLE', (error as Error).message, {}, { cause: error });
        }
      }),
  };
}

/** The tarball of this very installation for servers with that processor. */
export async function kitFor(arch: string): Promise<KitTarball> {
  return await serverKit(path.resolve(binDir, '..'), arch);
}
