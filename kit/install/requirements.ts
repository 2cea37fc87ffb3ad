/** Conditions that must hold before a package is installed. Each function throws a coded error that names the missing thing, or nothing. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { SvcError } from '../../schema/errors.ts';
import { isNoPlainFile, readPlainFileSync } from '../../schema/plain-file.ts';
import type { Scope } from '../../schema/install-events.ts';
import { limits } from './limits.ts';
import { limits as sharedLimits } from '../../schema/limits.ts';
import { contrastWithWhite } from '../../schema/manifest/contrast.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { parseManifest } from '../../schema/manifest/minimum.ts';
import { isMissing } from '../atomic-file.ts';
import { entrypointOf, mayMakeEntrypoint } from '../launch/package.ts';
import { LaunchRefused } from '../launch/refusal.ts';
import { isAppId } from '../../schema/app-id.ts';

/** Source: rules 2.1 `instalacao`. */
export function checkScope(manifest: Manifest, scope: Scope): void {
  if (scope === 'sistema') {
    if (manifest.motores === undefined || manifest.motores.length === 0) {
      if (!(manifest.instalacao ?? ['sistema']).includes('sistema'))
        throw new SvcError('SCOPE_REFUSED', `${manifest.id} declares instalacao pessoa only: install it with --pessoa`);
    }
    return;
  }
  if ((manifest.motores ?? []).length > 0)
    throw new SvcError('SCOPE_REFUSED', `${manifest.id} declares motores: it is installed for the whole server only (--sistema)`);
  if (manifest.escopo === 'servidor')
    throw new SvcError('SCOPE_REFUSED', `${manifest.id} declares escopo servidor: it is installed for the whole server only (--sistema)`);
  if (!(manifest.instalacao ?? ['sistema']).includes('pessoa'))
    throw new SvcError('SCOPE_REFUSED', `${manifest.id} does not declare instalacao pessoa: an administrator installs it (--sistema)`);
}

/** The entrypoint is there, as the launcher asks for it. */
export function checkEntrypoint(folder: string, manifest: Manifest): void {
  try {
    entrypointOf(folder, manifest);
  } catch (error) {
    if (error instanceof LaunchRefused) throw new SvcError('PACKAGE_REFUSED', `the package is refused: ${error.message}`);
    throw error;
  }
}

/** Publish and install refuse a color that white text can't be read on. Source: rules 2.5 `cor`, 7. */
export function checkFolder(folder: string, manifest: Manifest): void {
  if (!mayMakeEntrypoint(manifest)) checkEntrypoint(folder, manifest);
  const own: readonly unknown[] = Array.isArray(manifest.opens?.proprios) ? manifest.opens.proprios : [];
  for (const type of own) {
    const { cor, extensao } = (typeof type === 'object' && type !== null ? type : {}) as {
      readonly cor?: unknown;
      readonly extensao?: unknown;
    };
    const contrast = typeof cor === 'string' ? contrastWithWhite(cor) : null;
    if (contrast !== null && contrast >= sharedLimits.badgeContrastMin) continue;
    const found = contrast === null ? 'it is no #rrggbb' : `${(Math.floor(contrast * 100) / 100).toFixed(2)}:1 against white`;
    throw new SvcError(
      'MANIFEST_INVALID',
      `svc-app.json: the color ${JSON.stringify(cor)} of the own type ${JSON.stringify(extensao)} is refused: ${found}, expected at least ${sharedLimits.badgeContrastMin}:1`,
    );
  }
}

const packageName = /^[a-z0-9][a-z0-9+.-]*$/;

/** Splits a requirement into its alternatives, in order of preference. */
export function alternativesOf(requirement: string): readonly string[] {
  const names = requirement.split('|').map((name) => name.trim());
  // Before any command is built: what is no name never reaches an argv. Source: rules 2.1 `requiredPackages`.
  const wrong = names.find((name) => !packageName.test(name));
  if (wrong !== undefined)
    throw new SvcError('MANIFEST_INVALID', `svc-app.json: "requiredPackages": ${JSON.stringify(wrong)} is no package name`);
  return names;
}

/** The requirements of which no alternative is installed, as given; all of them when that is unknown. */
export async function unmetRequirements(requirements: readonly string[]): Promise<readonly string[]> {
  const asked = requirements.map((requirement) => ({ requirement, names: alternativesOf(requirement) }));
  if (asked.length === 0) return [];
  const installed = await installedPackages(asked.flatMap(({ names }) => names)).catch(() => new Set<string>());
  return asked.flatMap(({ requirement, names }) => (names.some((name) => installed.has(name)) ? [] : [requirement]));
}

/** Rejects MISSING_PACKAGE naming, for each unmet requirement, the preferred package. */
export async function checkPackages(manifest: Manifest): Promise<void> {
  const requirements = (manifest.requiredPackages ?? []).map(alternativesOf);
  if (requirements.length === 0) return;
  const installed = await installedPackages(requirements.flat());
  const unmet = requirements.filter((names) => !names.some((name) => installed.has(name)));
  if (unmet.length === 0) return;
  const suggested = unmet.map((names) => names[0] ?? '');
  const text = unmet.map(([first, ...others]) => (others.length === 0 ? first : `${first} (or ${others.join(', ')})`)).join('; ');
  throw new SvcError(
    'MISSING_PACKAGE',
    `${manifest.id} needs Linux packages that are not installed: ${text}. As root: apt-get install ${suggested.join(' ')}`,
    {
      missing: unmet,
      suggested,
    },
  );
}

async function installedPackages(names: readonly string[]): Promise<ReadonlySet<string>> {
  const argv = ['--show', '--showformat=${db:Status-Status} ${Package}\\n', '--', ...new Set(names)];
  const { code, text } = await run('dpkg-query', argv);
  // 1: some of the names are unknown; the others are listed all the same.
  if (code !== 0 && code !== 1)
    throw new SvcError(
      'MISSING_PACKAGE',
      `whether the packages ${names.join(', ')} are installed can't be told: dpkg-query ${code === null ? 'is not on this server' : `ended with ${code}`}`,
    );
  const lines = text.split('\n').map((line) => line.split(' '));
  return new Set(lines.flatMap(([status, name]) => (status === 'installed' && name !== undefined ? [name] : [])));
}

function run(program: string, argv: readonly string[]): Promise<{ readonly code: number | null; readonly text: string }> {
  return new Promise((resolve) => {
    execFile(program, argv, { timeout: limits.dpkgQueryMsMax, env: { ...process.env, LC_ALL: 'C' } }, (error, text) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : null;
      resolve({ code, text });
    });
  });
}

/** Offers of the repository, when they are known: only for saying which app to install first. */
export type Offers = ReadonlyMap<string, readonly string[]>;

/** Rejects MISSING_CAPABILITY naming each capability that no installed app offers. Source: rules 2.1 `requires`, 7. */
export function checkCapabilities(manifest: Manifest, parents: readonly string[], offers: Offers): void {
  const offered = new Set(manifest.provides ?? []);
  for (const parent of parents) for (const other of manifestsIn(parent)) for (const one of other.provides ?? []) offered.add(one);
  const missing = (manifest.requires ?? []).filter((one) => !offered.has(one));
  if (missing.length === 0) return;
  const text = missing.map((one) => {
    const apps = offers.get(one) ?? [];
    return apps.length === 0 ? one : `${one} (install ${apps.join(' or ')} first)`;
  });
  throw new SvcError('MISSING_CAPABILITY', `${manifest.id} requires what no installed app offers: ${text.join(', ')}`, { missing });
}

/** Manifests of the installed packages; one that is refused offers nothing. Throws what the disk says: what can't be read now may offer it. */
function manifestsIn(parent: string): readonly Manifest[] {
  return thereOr(() => readdirSync(parent), [])
    .filter(isAppId)
    .flatMap((name) => {
      const bytes = thereOr(() => readPlainFileSync(join(parent, name, 'svc-app.json')), null);
      try {
        return bytes === null ? [] : [parseManifest(bytes)];
      } catch {
        return [];
      }
    });
}

function thereOr<Found, None>(read: () => Found, none: None): Found | None {
  try {
    return read();
  } catch (error) {
    if (isMissing(error) || isNoPlainFile(error)) return none;
    throw error;
  }
}
