/** How the author's folder becomes the installed package: by links, or packed as publishing does (packed.ts). */
import path from 'node:path';
import type { Host } from '../../controller/hosts/host.ts';
import { systemClock } from '../../controller/clock/system.ts';
import { SvcError } from '../../schema/errors.ts';
import type { Gateway } from '../../schema/gateway.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { accountPaths } from '../../schema/server-paths.ts';
import type { DevAnswer } from '../../schema/wire/dev.ts';
import { localServer } from './desired.ts';
import { limits } from './limits.ts';
import { followEntries, linkFolder, withFolder } from './linked.ts';

export interface Delivery {
  readonly mode: DevAnswer['mode'];
  /** Stands before the driver of the server. */
  readonly host: (host: Host) => Host;
  /** In force. */
  manifest(): Manifest;
  /** Before the portal begins. */
  prepare(): Promise<void>;
  /**
   * After a change; null where the manifest is as it was. Resolves when it is installed, with the version. Rejects what the installation was refused
   * for, CANCELLED when a newer change overtook it.
   */
  put(gateway: Gateway, manifest: Manifest | null, overtaken: AbortSignal): Promise<void>;
  /** True: a page of it can be loaded again without anything else. */
  readonly isLive: boolean;
  /** Paths of the package, as the author knows them. */
  own(text: string): string;
}

export function linkedDelivery({ app, folder, state, person, first }: Where & { readonly first: Manifest }): Delivery {
  const prefix = path.join(state, localServer);
  const { systemApps } = accountPaths({ home: prefix, prefix });
  const target = path.join(systemApps, app);
  let inForce = first;
  return {
    mode: 'folder',
    host: withFolder(app, folder),
    manifest: () => inForce,
    prepare: async () => void (await linkFolder(systemApps, folder, first)),
    put: async (gateway, manifest, overtaken) => {
      await followEntries(target, folder);
      if (manifest === null) return;
      const written = JSON.stringify(await linkFolder(systemApps, folder, manifest));
      inForce = manifest;
      await gateway.commands.admin.apply(false);
      await untilInstalled(() => JSON.stringify(gateway.apps.manifest(person, app)) === written, overtaken);
    },
    isLive: true,
    own: (text) => text.replaceAll(`${target}/`, `${folder}/`),
  };
}

export interface Where {
  readonly app: string;
  readonly folder: string;
  readonly state: string;
  /** The first one who plays: what is installed for them is installed for all. */
  readonly person: string;
}

/** `look` throws what it is refused for. */
export async function untilInstalled(look: () => boolean, overtaken: AbortSignal): Promise<void> {
  const endMs = systemClock.monotonicMs() + limits.deliveryMsMax;
  while (!look()) {
    if (overtaken.aborted) throw new SvcError('CANCELLED', 'a newer change took its place');
    if (systemClock.monotonicMs() > endMs) throw new SvcError('TIMEOUT', `it was not installed within ${limits.deliveryMsMax / 1_000} s`);
    await new Promise<void>((resolve) => {
      systemClock.at(systemClock.monotonicMs() + limits.deliveryLookMs, resolve);
    });
  }
}
