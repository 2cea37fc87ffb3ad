/** A server in memory, for tests and benchmarks of the loop: it holds packages and starts, installs and changes nothing. */
import { SvcError } from '../../../schema/errors.ts';
import type { Manifest } from '../../../schema/manifest/manifest.ts';
import type { Host, InstalledPackage } from '../host.ts';

/** `app0`, `app1`, … as if they were installed. */
export function packagesInMemory(count: number): readonly InstalledPackage[] {
  return Array.from({ length: count }, (_, n): InstalledPackage => {
    const manifest: Manifest = { id: `app${n}`, version: '1.0.0', backend: { runtime: 'node', entrypoint: 'main.js', aoFechar: 'manter' } };
    return {
      app: manifest.id,
      version: '1.0.0',
      hash: String(n).padStart(64, '0'),
      delivered: '',
      scope: 'sistema',
      previous: null,
      manifest,
    };
  });
}

/** Without `dial` nobody listens there. */
export function memoryHost(packages: readonly InstalledPackage[], dial?: Host['dial']): Host {
  const refuse = () => Promise.reject(new SvcError('SERVER_UNREACHABLE', 'nobody listens in this server of memory'));
  return {
    server: 'casa',
    place: async (account) => ({ home: `/home/${account}`, prefix: '' }),
    dial: dial ?? refuse,
    directSocketPath: () => null,
    files: refuse,
    run: refuse,
    shell: refuse,
    startSupervisor: refuse,
    closed: async () => new Map(),
    installed: async () => packages,
    packageFile: async () => null,
    asPortal: async () => null,
    onDoubt: () => undefined,
    install: refuse,
    mendEngines: refuse,
    inventoryMark: async () => null,
    inventory: async () => ({ missing: [], engines: [], gpu: false }),
    rollBack: refuse,
    confirm: refuse,
    remove: refuse,
    credential: refuse,
    close: async () => undefined,
  };
}
