/** The gateway's view of the repository and of packages, as tests set it. */
import { SvcError } from '../../schema/errors.ts';
import type { AdminCommands, AdminView, ShopView, StoreSources } from '../../schema/gateway.ts';
import type { Extension } from '../../schema/extensions/catalogue.ts';
import type { AdminPackagesAnswer } from '../../schema/wire/shop.ts';

export interface TestShop {
  readonly view: ShopView;
  readonly admin: Pick<AdminView, 'packages'>;
  readonly commands: Pick<AdminCommands, 'rollBack' | 'undoRollBack'>;
  /** Sources of the store by person; nothing is offered to the others. */
  readonly sources: Map<string, StoreSources>;
  extensions: readonly Extension[];
  packages: AdminPackagesAnswer;
  /** Keys with a held roll-back. */
  readonly held: Set<string>;
}

export const noServer: StoreSources['server'] = { gpu: null, queue: null, groups: [] };

const nothing: StoreSources = { offers: { apps: [], problem: null }, installed: [], installs: [], missingPackages: {}, server: noServer };

/** Packages that can be gone back from. */
const installed: ReadonlySet<string> = new Set(['Package/ana/agenda', 'Package/mapa-casa']);

/** Every offered version has `icon` at icon.svg, but 0.9.0. */
export function createTestShop(icon: string): TestShop {
  const answer = (key: string) => ({ key, from: '2.0.0', to: '1.0.0' });
  const shop: TestShop = {
    sources: new Map(),
    extensions: [],
    packages: { servers: [] },
    held: new Set(),
    view: {
      sources: async (usuario) => shop.sources.get(usuario) ?? nothing,
      extensions: async () => shop.extensions,
      file: async (_app, version, file) => {
        return file === 'icon.svg' && version !== '0.9.0' ? { bytes: Buffer.from(icon), type: 'image/svg+xml' } : null;
      },
    },
    admin: { packages: async () => shop.packages },
    commands: {
      rollBack: async (key) => {
        if (!installed.has(key)) throw new SvcError('NOT_FOUND', `no Package object ${key}; svc get packages lists them`);
        shop.held.add(key);
        return answer(key);
      },
      undoRollBack: async (key) => {
        if (!shop.held.delete(key)) throw new SvcError('NOT_FOUND', `no roll-back of ${key} is held`);
        return answer(key);
      },
    },
  };
  return shop;
}
