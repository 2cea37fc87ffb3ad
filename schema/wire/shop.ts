/**
 * Answers and requests of the shop: `/api/loja`, `/api/apps/:id/instalacao` and `/api/admin/pacotes`, as http.ts. Words of the manifest keep their
 * spelling.
 */
import { installSteps } from '../install-events.ts';
import { keys } from '../keys.ts';
import { limits } from '../limits.ts';
import { engineStates, packageStates } from '../packages.ts';
import { appId, objectKey, reason } from './http.ts';
import { type Wire, closed, count, flag, list, nullable, oneOf, orNull, strings, text } from '../static.ts';

const scope = { type: 'string', enum: ['sistema', 'pessoa'] } as const;
/** Source: rules 2.1 `version`; a repository takes no longer one. */
const version = { type: 'string', pattern: `^[0-9A-Za-z][0-9A-Za-z.+_-]{0,${limits.repositoryNameCharsMax - 1}}$` } as const;

/** How far a running installation is. */
const progress = orNull(
  closed({
    step: oneOf(installSteps),
    nome: nullable('string'),
    bytes: nullable('number'),
    total: nullable('number'),
    etaMs: nullable('number'),
  }),
);
const installFields = {
  key: text,
  wanted: nullable('string'),
  state: oneOf(packageStates),
  reason,
  message: text,
  progress,
} as const;
/** An installation that is under way, waits or failed. `key` is that of a document, or `Package/<person>/<app>`. */
const shopInstall = closed(installFields);
export type ShopInstall = Wire<typeof shopInstall>;

export const storeParams = closed({ id: appId });
export const storeIconQuery = closed({ versao: version });
/** `n`: in the order of the author, from 0. */
export const storePictureQuery = closed({
  versao: version,
  n: { type: 'string', pattern: `^[0-${limits.shopPicturesMax - 1}]$` } as const,
});
export const iconQuery = closed({ v: version }, []);
/** `extensao`: of an own file type. */
export const typeIconQuery = closed({ extensao: { type: 'string', pattern: '^[a-z0-9][a-z0-9+_-]{0,15}$' }, v: version }, ['extensao']);
export const installBody = { ...closed({ versao: version }, []), type: ['object', 'null'] } as const;
export const removeQuery = closed({ cancelar: { type: 'string', enum: ['1'] } }, []);
/** `versao` null: it will be removed. */
export const installAnswer = closed({ requestId: text, versao: nullable('string') });
export type InstallAnswer = Wire<typeof installAnswer>;
export const updateAllAnswer = closed({ pedidos: list(closed({ id: text, requestId: text, versao: text })) });
export type UpdateAllAnswer = Wire<typeof updateAllAnswer>;
const packageKey = { ...objectKey, minLength: keys.package('x').length } as const;
export const rollbackBody = closed({ key: packageKey });
export const undoBody = { ...closed({ key: packageKey }), type: ['object', 'null'] } as const;
export const undoQuery = closed({ key: packageKey }, []);
export const rollbackAnswer = closed({ key: text, from: text, to: text });

/**
 * `shell`: minShellVersion. `capability`: requires. `escopo`: only an administrator installs it. `pacote`: a Linux package that is
 * not there. `assinatura`: its repository needs a signature. `documento`: a Package document decides. `sistema`: it is installed for everybody already.
 */
const refusalMotives = ['shell', 'capability', 'escopo', 'pacote', 'assinatura', 'documento', 'sistema'] as const;
const shopRefusal = closed({
  motivo: oneOf(refusalMotives),
  /** For engineers, in English. */
  texto: text,
  /** The missing thing: a shell version, a capability, a requirement as declared, the name of a document; null where there is none. */
  alvo: nullable('string'),
  /** `pacote`: the alternative to install, the first one declared. */
  sugestao: nullable('string'),
});
export type ShopRefusal = Wire<typeof shopRefusal>;
const shopNeed = closed({
  tipo: oneOf(['shell', 'capability', 'pacote', 'gpu', 'fila']),
  /** Version, capability or Linux package as declared; '' for the others. */
  nome: text,
  /** Whether the person's server, or the portal, has it. */
  aqui: oneOf(['sim', 'nao', 'desconhecido']),
  /** It works without. */
  opcional: flag,
});
export type ShopNeed = Wire<typeof shopNeed>;
const shopVersion = closed({
  version: text,
  /** Null for a package that is not packed. */
  tamanho: nullable('integer'),
  publicadoEm: nullable('string'),
  novidades: text,
});
const shopApp = closed({
  id: text,
  name: text,
  description: text,
  category: text,
  type: { type: 'string', enum: ['app', 'engine'] },
  /** Shown after 'por'; '' when unknown. */
  developer: text,
  /** Shown after 'portado por'. */
  publisher: text,
  license: text,
  homepage: nullable('string'),
  /** Address of its documentation. */
  documentacao: nullable('string'),
  /** Pictures of the newest version; `texto` is read out in place of one, sides in pixels. */
  imagens: list(closed({ endereco: text, texto: text, largura: count, altura: count })),
  icone: nullable('string'),
  provides: strings,
  needs: list(shopNeed),
  /** The person's group that its repository is for; null: it is for everybody. */
  forGroup: nullable('string'),
  instalacao: list(scope),
  motores: list(closed({ nome: text, versao: text, tamanho: count })),
  /** The key that signed the newest version, as minisign names it; null: its repository needs no signature, or it has none that is good. */
  signedBy: nullable('string'),
  /** Newest first; empty when the repository has it no more. */
  versions: list(shopVersion),
  installed: nullable('string'),
  /** Scope of the installed package. */
  scope: orNull(scope),
  /** A file of what is installed was changed on the server. */
  drift: flag,
  /** Version that a roll-back would restore. */
  previous: nullable('string'),
  /** A newer version is offered than the installed one. */
  updatable: flag,
  /** Why this person can't install the newest version for themself; empty: they can. */
  refused: list(shopRefusal),
  /** The installation that is under way, waits or failed; null when there is nothing to show. */
  install: orNull(shopInstall),
  /** Requests that are possible for this person now. */
  actions: list({ type: 'string', enum: ['install', 'update', 'remove', 'cancel', 'retry'] }),
});
export type ShopApp = Wire<typeof shopApp>;
/** `problem`: why the list may be old or incomplete. */
export const shopAnswer = closed({ apps: list(shopApp), problem: nullable('string') });
export type ShopAnswer = Wire<typeof shopAnswer>;

const adminPackage = closed({
  ...installFields,
  app: text,
  scope,
  /** The owner of a package of scope `pessoa`. */
  person: nullable('string'),
  /** Version that is installed on the server; null when there is none. */
  installed: nullable('string'),
  drift: flag,
  /** The version that `svc rollback` goes back to; null when none is known. */
  previous: nullable('string'),
  paused: flag,
});
export type AdminPackage = Wire<typeof adminPackage>;
const adminServer = closed({
  name: text,
  /** `reachable`, or why nothing new is known of it, or nobody else gets in; the reason says the same to people. */
  sight: text,
  reason,
  /** Linux packages that apps need and that are not there. `line` is what an administrator of the server types. */
  missing: list(closed({ package: text, apps: strings, line: text })),
  packages: list(adminPackage),
  /** `bytes`: on disk; null when it is not there, or not counted. */
  engines: list(closed({ app: text, nome: text, versao: text, state: oneOf(engineStates), bytes: nullable('number') })),
  /** `version`: of the code that runs; null when that is no longer what is installed. */
  running: list(closed({ person: text, app: text, version: nullable('string'), state: text, sinceMs: count, stale: flag })),
});
export type AdminServer = Wire<typeof adminServer>;
/** `GET /api/admin/pacotes`. */
export const adminPackagesAnswer = closed({ servers: list(adminServer) });
export type AdminPackagesAnswer = Wire<typeof adminPackagesAnswer>;
