/** What the portal asks of the controller, answered by hand: these people, who all have one app. No controller runs beside a measured portal. */
import type { BackendRoute, Gateway, PersonRecord } from '../../schema/gateway.ts';

const view = {
  id: 'notas',
  name: 'Notas',
  version: '1',
  type: 'app',
  kind: 'app',
  escopo: 'pessoa',
  description: '',
  category: 'Other',
  window: {},
  gpu: false,
  aoFechar: 'manter',
  status: 'running',
  ready: true,
  reason: 'Healthy',
  message: '',
  sinceMs: 0,
  wanted: true,
  pinned: false,
  pid: 1,
  connections: 0,
  failures: 0,
  restarts: 0,
  lastExit: null,
  nextAttemptAtMs: null,
  contained: false,
  containedReason: '',
  secrets: { declared: 0, missing: [], restartNeeded: false },
  gpuVerdict: null,
  stale: false,
  uso: null,
  step: null,
} as const;
const plan = { ok: true, changes: [], blocked: [], errors: [], pendingPrune: [] };

export function benchGateway(people: readonly PersonRecord[], route: BackendRoute | null): Gateway {
  const byId = new Map(people.map((person) => [person.usuario, person]));
  const has = (usuario: string, app: string): boolean => byId.has(usuario) && app === view.id;
  const noSecrets = async () => ({ secrets: [], restartNeeded: false });
  const rolledBack = async (key: string) => ({ key, from: '2.0.0', to: '1.0.0' });
  return {
    people: { find: (usuario) => byId.get(usuario) ?? null, all: () => people, signIn: () => ({ ssh: false, oidc: null }) },
    apps: {
      find: (usuario, app) => (has(usuario, app) ? view : null),
      of: () => [view],
      byState: () => new Map([[view.status, 1]]),
      installed: () => [view.id],
      manifest: () => null,
      packagesRead: () => true,
      scope: () => null,
      file: async () => null,
      observeUsage: async () => undefined,
    },
    shop: {
      sources: async () => ({ offers: { apps: [], problem: null }, installed: [], installs: [], missingPackages: {} }),
      extensions: async () => [],
      file: async () => null,
    },
    queue: {
      off: () => ({ codigo: 'DESLIGADA', motivo: '' }),
      clusters: () => [],
      cluster: () => null,
      stateOf: () => ({ estado: 'em-espera', reason: 'JobHeld', message: '', lugar: null }),
      spaceBytesMax: () => null,
    },
    admin: {
      objects: () => [],
      why: async () => null,
      packages: async () => ({ servers: [] }),
      usage: async () => [],
      serverChecks: async () => [],
      plan: async () => plan,
    },
    commands: {
      people: {
        checkPassword: async () => ({ kind: 'refused', serverMessage: null }),
        openShell: () => Promise.reject(new Error('no terminals here')),
      },
      files: { of: () => Promise.reject(new Error('nobody has files here')) },
      apps: {
        route: (usuario, app) => (has(usuario, app) ? route : null),
        tokenRefused: () => undefined,
        log: async () => '',
        followLog: async function* none() {},
        note: async () => {},
        secretNames: noSecrets,
        putSecret: noSecrets,
        deleteSecret: noSecrets,
      },
      admin: { apply: async () => plan, rollBack: rolledBack, undoRollBack: rolledBack, serverAct: async function* none() {} },
    },
  };
}
