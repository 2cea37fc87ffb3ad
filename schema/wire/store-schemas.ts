/** JSON Schemas of the store's routes, beside their types in store.ts; see http-schemas.ts. */
import { installSteps } from '../install-events.ts';
import { limits } from '../limits.ts';
import { engineStates, packageStates } from '../packages.ts';
import { appId, closed, count, flag, nullable, objectKey, reason, strings, text } from './http-schemas.ts';
import { refusalMotives, storeActions } from './store.ts';

const list = <T>(items: T) => ({ type: 'array', items }) as const;
const scope = { type: 'string', enum: ['sistema', 'pessoa'] } as const;
/** Source: spec 2.1 `version`; a repository takes no longer one. */
const version = { type: 'string', pattern: `^[0-9A-Za-z][0-9A-Za-z.+_-]{0,${limits.repositoryNameCharsMax - 1}}$` } as const;

const progress = {
  anyOf: [
    closed({
      step: { type: 'string', enum: installSteps },
      nome: nullable('string'),
      bytes: nullable('number'),
      total: nullable('number'),
      etaMs: nullable('number'),
    }),
    { type: 'null' },
  ],
} as const;
const installFields = {
  key: text,
  wanted: nullable('string'),
  state: { type: 'string', enum: packageStates },
  reason,
  message: text,
  progress,
} as const;

export const storeParams = closed({ id: appId });
export const storeIconQuery = closed({ versao: version });
export const iconQuery = closed({ v: version }, []);
export const installBody = { ...closed({ versao: version }, []), type: ['object', 'null'] } as const;
export const removeQuery = closed({ cancelar: { type: 'string', enum: ['1'] } }, []);
export const installAnswer = closed({ requestId: text, versao: nullable('string') });
export const updateAllAnswer = closed({ pedidos: list(closed({ id: text, requestId: text, versao: text })) });
const packageKey = { ...objectKey, minLength: 'Package/x'.length } as const;
export const rollbackBody = closed({ key: packageKey });
export const undoBody = { ...closed({ key: packageKey }), type: ['object', 'null'] } as const;
export const undoQuery = closed({ key: packageKey }, []);
export const rollbackAnswer = closed({ key: text, from: text, to: text });

export const storeAnswer = closed({
  apps: list(
    closed({
      id: text,
      name: text,
      description: text,
      category: text,
      type: { type: 'string', enum: ['app', 'engine'] },
      developer: text,
      publisher: text,
      license: text,
      homepage: nullable('string'),
      icone: nullable('string'),
      provides: strings,
      requires: strings,
      requiredPackages: strings,
      instalacao: list(scope),
      motores: list(closed({ nome: text, versao: text, tamanho: count })),
      versions: list(closed({ version: text, tamanho: nullable('integer'), publicadoEm: nullable('string'), novidades: text })),
      installed: nullable('string'),
      scope: { anyOf: [scope, { type: 'null' }] },
      drift: flag,
      previous: nullable('string'),
      updatable: flag,
      refused: list(
        closed({ motivo: { type: 'string', enum: refusalMotives }, texto: text, alvo: nullable('string'), sugestao: nullable('string') }),
      ),
      install: { anyOf: [closed(installFields), { type: 'null' }] },
      actions: list({ type: 'string', enum: storeActions }),
    }),
  ),
  problem: nullable('string'),
});

const adminServer = closed({
  name: text,
  sight: text,
  missing: list(closed({ package: text, apps: strings, line: text })),
  packages: list(
    closed({
      ...installFields,
      app: text,
      scope,
      person: nullable('string'),
      installed: nullable('string'),
      drift: flag,
      previous: nullable('string'),
      paused: flag,
    }),
  ),
  engines: list(closed({ app: text, nome: text, versao: text, state: { type: 'string', enum: engineStates }, bytes: nullable('number') })),
  running: list(closed({ person: text, app: text, version: nullable('string'), state: text, sinceMs: count, stale: flag })),
});
export const adminPackagesAnswer = closed({ servers: list(adminServer) });
