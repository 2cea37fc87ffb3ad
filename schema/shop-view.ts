/** The shop as shown to one person: each app of the repository, the reason if it can't be installed, and the requests that are possible. Pure. */
import { keys, nameIn } from './keys.ts';
import type { Reason } from './backend.ts';
import type { Scope } from './install-events.ts';
import type { InstallView } from './packages.ts';
import type { ShopApp, ShopInstall, ShopRefusal } from './wire/shop.ts';
import { compareVersions, satisfiesMinimum } from './versions.ts';
import type { Extension } from './extensions/catalogue.ts';
import type { CatalogueManifest } from './manifest/offered.ts';
import { nameOf } from './manifest/shown-text.ts';
import { type NeedsGrounds, needsOf } from './shop-needs.ts';

export interface InstalledForStore {
  readonly id: string;
  readonly version: string;
  readonly provides: readonly string[];
  readonly scope: Scope;
  /** Files were changed on the server. */
  readonly drift: boolean;
  /** The version before, as long as the server keeps it. */
  readonly previous: string | null;
}

/** The repository of an app, as the Portal document says. */
export interface OfferingRepository {
  /** Its address or folder. */
  readonly place: string;
  /** Public key that its versions are signed with; null: they need no signature. */
  readonly key: string | null;
  /** People in one of them see and install its apps; null: everybody. */
  readonly groups: readonly string[] | null;
}

/** The signature of a version whose repository has a key, and the name of the key; or why it has none that is good. */
export type OfferSignature = { readonly text: string; readonly signedBy: string } | { readonly refused: string };

/** Pictures and documentation of a version, which its repository keeps beside the manifest. */
export interface OfferPage {
  readonly documentation: string | null;
  /** `file`: of the repository, or in the folder of a package that is not packed. Sides in pixels. */
  readonly pictures: readonly { readonly file: string; readonly text: string; readonly width: number; readonly height: number }[];
}

/** Apps that can be installed, newest version first. */
export interface Offers {
  readonly apps: readonly {
    readonly id: string;
    readonly repository: OfferingRepository;
    readonly versions: readonly {
      readonly version: string;
      /** Null for a package that is not packed. */
      readonly tamanho: number | null;
      /** Hash of the tarball; null for a package that is not packed. */
      readonly sha256: string | null;
      readonly publicadoEm: string | null;
      readonly novidades: string;
      readonly manifest: CatalogueManifest;
      /** Absent: it has none. */
      readonly page?: OfferPage;
      /** Absent: its repository has no key, and nothing was judged. */
      readonly signature?: OfferSignature;
    }[];
  }[];
  /** Browser extensions that apps may name; none where the repository has no catalogue of them. */
  readonly extensions?: readonly Extension[];
  /** Why this may be old or incomplete; null when it was just read. */
  readonly problem: string | null;
  /** Why `apps` are those of before, or none: the repository could not be read. Absent when they were just read. */
  readonly unread?: string;
}

/** Facts about the person's server and portal, for the needs of apps; null: not known. */
export interface ShopServer {
  readonly gpu: boolean | null;
  /** Whether the queue takes jobs. */
  readonly queue: boolean | null;
  /** Groups of the person. */
  readonly groups: readonly string[];
}

export interface StoreFor {
  readonly person: string;
  readonly shellVersion: string;
  readonly installed: readonly InstalledForStore[];
  /** Wishes of the person and documents that concern them. */
  readonly installs: readonly InstallView[];
  /** Unmet requiredPackages of the newest offer, as declared; an app that is not in it is not known yet. */
  readonly missingPackages: Readonly<Record<string, readonly string[]>>;
  readonly server: ShopServer;
  /** Manifest of an installed app that is offered no more. */
  manifest(app: string): CatalogueManifest | null;
}

export const wishKey = (person: string, app: string): string => keys.package(`${person}/${app}`);

/** Offered apps in the order of the catalogue, then what is installed and offered no more. */
export function storeView(offers: Offers, whose: StoreFor): readonly ShopApp[] {
  const offered = new Set(offers.apps.map(({ id }) => id));
  const gone = whose.installed.filter(({ id }) => !offered.has(id)).map(({ id }) => ({ id, versions: [], repository: null }));
  return [...offers.apps, ...gone].map((app) => storeApp(app, whose));
}

type Shown = Pick<Offers['apps'][number], 'id' | 'versions'> & { readonly repository: OfferingRepository | null };

function storeApp({ id, versions, repository }: Shown, whose: StoreFor): ShopApp {
  const [newest] = versions;
  const manifest = newest?.manifest ?? whose.manifest(id) ?? {};
  const here = whose.installed.find((one) => one.id === id) ?? null;
  const updatable = here !== null && newest !== undefined && compareVersions(newest.version, here.version) > 0;
  const refused = newest === undefined ? [] : refusalsOf(id, newest, whose);
  const { signature } = newest ?? {};
  const shown = newest?.version ?? here?.version ?? '';
  return {
    id,
    name: nameOf(manifest, id),
    description: manifest.description ?? '',
    category: manifest.category ?? '',
    type: manifest.type ?? 'app',
    developer: manifest.developer?.name ?? '',
    publisher: manifest.publisher?.name ?? '',
    license: manifest.license ?? '',
    homepage: webAddress(manifest.homepage),
    documentacao: newest?.page?.documentation ?? null,
    imagens: (newest?.page?.pictures ?? []).map(({ text, width, height }, at) => ({
      endereco: `/api/loja/${id}/imagem?versao=${encodeURIComponent(shown)}&n=${at}`,
      texto: text,
      largura: width,
      altura: height,
    })),
    icone: manifest.icon === undefined ? null : `/api/loja/${id}/icone?versao=${encodeURIComponent(shown)}`,
    provides: manifest.provides ?? [],
    needs: needsOf(manifest, groundsFor(id, whose)),
    forGroup: repository?.groups?.find((group) => whose.server.groups.includes(group)) ?? null,
    instalacao: scopesOf(manifest),
    motores: (manifest.motores ?? []).map(({ nome, versao, tamanho }) => ({ nome, versao, tamanho })),
    signedBy: signature !== undefined && 'signedBy' in signature ? signature.signedBy : null,
    versions: versions.map(({ version, tamanho, publicadoEm, novidades }) => ({ version, tamanho, publicadoEm, novidades })),
    installed: here?.version ?? null,
    scope: here?.scope ?? null,
    drift: here?.drift ?? false,
    previous: here?.previous ?? null,
    updatable,
    refused,
    install: installOf(id, whose),
    actions: actionsOf(id, { here, newest: newest?.version ?? null, updatable, refused: refused.length > 0 }, whose),
  };
}

/** The homepage as a link, when it is one for the web: a manifest may hold any URI. */
function webAddress(homepage: string | undefined): string | null {
  return homepage !== undefined && /^https?:\/\//i.test(homepage) ? homepage : null;
}

/** Source: rules 2.1 `instalacao`, `escopo`: an app with engines, or for a whole server, always installs at system scope. */
function scopesOf(manifest: CatalogueManifest): readonly Scope[] {
  const declared = manifest.instalacao ?? ['sistema'];
  const forAll = (manifest.motores ?? []).length > 0 || manifest.escopo === 'servidor';
  return forAll ? declared.filter((scope) => scope === 'sistema') : declared;
}

type Judged = Pick<Offers['apps'][number]['versions'][number], 'manifest' | 'signature'>;

/**
 * Why this person can't install that version for themself. An app's own capabilities don't satisfy it.
 * Source: rules 2.1 `minShellVersion`, `requires`, `instalacao`, `requiredPackages`; 7.
 */
export function refusalsOf(id: string, { manifest, signature }: Judged, whose: StoreFor): readonly ShopRefusal[] {
  const refused: ShopRefusal[] = [];
  const refuse = (motivo: ShopRefusal['motivo'], texto: string, alvo: string | null = null, sugestao: string | null = null): void =>
    void refused.push({ motivo, texto, alvo, sugestao });
  const document = documentOf(id, whose);
  const here = whose.installed.find((one) => one.id === id);
  if (document !== null) refuse('documento', `the document ${document} decides`, document);
  else if (here?.scope === 'sistema') refuse('sistema', 'it is installed for everybody: an administrator decides its version');
  else if (!scopesOf(manifest).includes('pessoa')) refuse('escopo', 'only an administrator installs it, for everybody');
  if (signature !== undefined && 'refused' in signature) refuse('assinatura', signature.refused);
  const minimum = manifest.minShellVersion;
  if (minimum !== undefined && !satisfiesMinimum(whose.shellVersion, minimum)) {
    refuse('shell', `it needs shell ${minimum} and this is ${whose.shellVersion}`, minimum);
  }
  const provided = providedFor(id, whose);
  for (const capability of manifest.requires ?? []) {
    if (!provided.has(capability)) refuse('capability', `no installed app offers ${capability}`, capability);
  }
  for (const requirement of whose.missingPackages[id] ?? []) {
    const suggested = requirement.split('|')[0]?.trim() ?? requirement;
    refuse('pacote', `the server lacks ${requirement}`, requirement, suggested);
  }
  return refused;
}

const providedFor = (id: string, { installed }: StoreFor): ReadonlySet<string> =>
  new Set(installed.filter((one) => one.id !== id).flatMap(({ provides }) => provides));

function groundsFor(id: string, whose: StoreFor): NeedsGrounds {
  const { shellVersion, missingPackages, server } = whose;
  const { gpu, queue } = server;
  return { shellVersion, provided: providedFor(id, whose), missing: missingPackages[id] ?? null, gpu, queue };
}

/** Name of the Package document that installs it for this person; a wish of theirs would contradict it. */
export function documentOf(id: string, { person, installs }: StoreFor): string | null {
  const document = installs.find(({ app, scope, key }) => app === id && scope === 'pessoa' && key !== wishKey(person, id));
  return document ? nameIn('Package', document.key) : null;
}

/** The person's wish goes before documents; nothing is shown for a package that is simply installed. */
function installOf(id: string, { person, installs }: StoreFor): ShopInstall | null {
  const ofApp = installs.filter(({ app }) => app === id);
  const one = ofApp.find(({ key }) => key === wishKey(person, id)) ?? ofApp.find(({ scope }) => scope === 'pessoa') ?? ofApp[0];
  if (one === undefined || (one.progress === null && (one.state === 'installed' || one.state === 'removed'))) return null;
  const { key, wanted, state, reason, message, progress } = one;
  return { key, wanted, state, reason, message, progress };
}

interface Standing {
  readonly here: InstalledForStore | null;
  readonly newest: string | null;
  readonly updatable: boolean;
  readonly refused: boolean;
}

/** An installation that goes on can be cancelled; one that stopped can be retried, too. */
function actionsOf(id: string, { here, newest, updatable, refused }: Standing, whose: StoreFor): ShopApp['actions'] {
  if (documentOf(id, whose) !== null) return [];
  const own = here?.scope === 'pessoa';
  const wish = whose.installs.find(({ key }) => key === wishKey(whose.person, id));
  if (wish && isUnderWay(wish)) return wish.wanted === null || wish.reason === 'Cancelled' ? [] : ['cancel'];
  // Held until another version is asked for: trying this one again would change nothing. Decision: docs/decisions/0080-rollback-is-held.md
  if (wish?.reason === 'RolledBack') return updatable && !refused && newest !== wish.wanted ? ['update', 'remove'] : ['remove'];
  const stuck = wish !== undefined && wish.state !== 'installed' && wish.state !== 'removed';
  if (stuck) return wish.wanted === null ? ['retry'] : own ? ['retry', 'cancel', 'remove'] : ['retry', 'cancel'];
  if (own) return updatable && !refused ? ['update', 'remove'] : ['remove'];
  return here === null && newest !== null && !refused ? ['install'] : [];
}

/** Also while it is queued. A backoff after a failure is not: its reason is the failure. */
export function isUnderWay({ progress, state, reason }: Pick<ShopInstall, 'progress' | 'state' | 'reason'>): boolean {
  if (progress !== null) return true;
  if (state === 'removing') return true;
  const goesOn: readonly Reason[] = ['Installing', 'Downloading', 'Cancelled', 'Outdated'];
  return (state === 'installing' || state === 'outdated') && goesOn.includes(reason);
}
