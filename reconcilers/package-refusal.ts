/**
 * Why the portal does not let a version in, judged before anything is loaded. Source: rules 2.1 `minShellVersion`, `requires`, `requiredPackages`,
 * `instalacao`; 7.
 */
import type { CatalogueManifest } from '../schema/manifest/offered.ts';
import { satisfiesMinimum } from '../schema/versions.ts';
import type { PackageRefusal } from './package-types.ts';

export interface RefusalGrounds {
  readonly scope: 'sistema' | 'pessoa';
  /** Groups that its repository is for, none of which has the person who asked for it; null: it may be theirs. */
  readonly reserved: readonly string[] | null;
  /** Why its signature is not good, where its repository needs one; null: it is, or none is needed. */
  readonly unsigned: string | null;
  readonly shellVersion: string;
  /** Capabilities of what is installed where the package goes. */
  readonly provided: ReadonlySet<string>;
  /** By capability: apps of the repository that offer it. */
  readonly offering: (capability: string) => readonly string[];
  /** Whether the server lacks a requirement, by its last inventory; an unchecked one counts as present. */
  readonly lacks: (requirement: string) => boolean;
}

/** The first ground that holds; null: it may come in. */
export function refusalOf(manifest: CatalogueManifest, grounds: RefusalGrounds): PackageRefusal | null {
  return (
    groupRefusal(grounds) ??
    signatureRefusal(grounds) ??
    scopeRefusal(manifest, grounds) ??
    shellRefusal(manifest, grounds) ??
    capabilityRefusal(manifest, grounds) ??
    packageRefusal(manifest, grounds)
  );
}

function groupRefusal({ reserved }: RefusalGrounds): PackageRefusal | null {
  return reserved && { reason: 'ScopeRefused', message: `its repository is for people in the group ${reserved.join(' or ')}` };
}

function signatureRefusal({ unsigned }: RefusalGrounds): PackageRefusal | null {
  return unsigned === null ? null : { reason: 'SignatureRefused', message: unsigned };
}

function scopeRefusal(
  { motores = [], instalacao = ['sistema'], escopo }: CatalogueManifest,
  { scope }: RefusalGrounds,
): PackageRefusal | null {
  const refuse = (message: string): PackageRefusal => ({ reason: 'ScopeRefused', message });
  if (scope === 'pessoa' && escopo === 'servidor')
    return refuse('it declares escopo servidor, so it is installed for the whole server only');
  if (scope === 'pessoa' && motores.length > 0) return refuse('it declares motores, so it is installed for the whole server only');
  if (motores.length > 0) return null;
  return instalacao.includes(scope) ? null : refuse(`its manifest does not allow instalacao: ${scope}`);
}

function shellRefusal({ minShellVersion }: CatalogueManifest, { shellVersion }: RefusalGrounds): PackageRefusal | null {
  if (minShellVersion === undefined || satisfiesMinimum(shellVersion, minShellVersion)) return null;
  return { reason: 'ShellTooOld', message: `it needs shell ${minShellVersion} and this is ${shellVersion}` };
}

/** The package's own capabilities satisfy it, as in svc-app-install. */
function capabilityRefusal({ requires = [], provides = [] }: CatalogueManifest, grounds: RefusalGrounds): PackageRefusal | null {
  const missing = requires.filter((one) => !provides.includes(one) && !grounds.provided.has(one));
  if (missing.length === 0) return null;
  const list = missing.map((one) => {
    const apps = grounds.offering(one);
    return apps.length === 0 ? one : `${one} (install ${apps.join(' or ')} first)`;
  });
  return { reason: 'CapabilityMissing', message: `no installed app offers ${list.join(', ')}` };
}

function packageRefusal({ requiredPackages = [] }: CatalogueManifest, { lacks }: RefusalGrounds): PackageRefusal | null {
  const lacking = requiredPackages.filter(lacks);
  if (lacking.length === 0) return null;
  const list = lacking.map((one) => alternatives(one).join(' or ')).join(', ');
  return { reason: 'PackageMissing', message: `the server lacks ${list}; as root: ${installLine(lacking)}` };
}

const alternatives = (requirement: string): readonly string[] => requirement.split('|').map((name) => name.trim());

/** The apt-get command for an administrator: the first alternative of each. Source: rules 2.1 `requiredPackages`. */
export function installLine(requirements: readonly string[]): string {
  return `apt-get install ${[...new Set(requirements.map((one) => alternatives(one)[0]))].join(' ')}`;
}
