/**
 * Additions of a person's apps to Settings, from their manifests. The installer checks a minimum of a manifest (rules 1), so every field is checked
 * here before the shell acts on it. Decision: docs/decisions/0204-scripts-in-the-shell.md
 */
import type { AppsView, AppView } from '../../schema/gateway.ts';
import type { Extension } from '../../schema/extensions/catalogue.ts';
import { limits } from '../../schema/limits.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { unshownIn } from '../../schema/manifest/shown-text.ts';
import { patterns } from '../../schema/manifest/patterns.ts';
import type { AppProjection } from '../../schema/wire/http.ts';
import { nothingOpened, openingOf, texts } from './opening.ts';
import { handledRoles } from '../../schema/wire/preferences.ts';
import type { AppSettings, SettingsAnswer } from '../../schema/wire/settings.ts';

/** Packages that may run a script in the shell: those an administrator installed, or also those a person installed alone. */
export type ShellScripts = 'system' | 'person';
type Apps = Pick<AppsView, 'of' | 'manifest' | 'scope'>;

const script = new RegExp(patterns.script);
const capability = new RegExp(patterns.capability);

export interface Known {
  readonly apps: Apps;
  readonly servidor: string | null;
  readonly shellScripts: ShellScripts;
  readonly extensions: readonly Extension[];
}

export function settingsOf(usuario: string, { apps, servidor, shellScripts, extensions }: Known): Omit<SettingsAnswer, 'passkeys'> {
  return {
    servidor,
    apps: apps.of(usuario).flatMap((view) => {
      const manifest = apps.manifest(usuario, view.id);
      if (manifest === null) return [];
      const extensao = extensionOf(manifest, extensions);
      return [{ ...appSettings(view, manifest, apps.scope(usuario, view.id), shellScripts), extensao }];
    }),
  };
}

function appSettings(
  { id, name }: AppView,
  manifest: Manifest,
  escopo: AppSettings['escopo'],
  allowed: ShellScripts,
): Omit<AppSettings, 'extensao'> {
  const permitida = mayRunInShell(escopo, allowed);
  const endereco = `/api/apps/${id}/secao.js?v=${encodeURIComponent(manifest.version)}`;
  const handled = manifest.handles === 'vscode' ? 'ide' : manifest.handles;
  // An engine has no window that could open something.
  const opening = manifest.type === 'engine' ? nothingOpened : openingOf(manifest);
  return {
    id,
    nome: name,
    escopo,
    papel: manifest.type === 'engine' ? null : (handledRoles.find((role) => role === handled) ?? null),
    oferece: texts(manifest.provides, capability),
    ...opening,
    secao: settingsScriptOf(manifest) === null ? null : { endereco, permitida, optIn: manifest.contributes?.settingsOptIn === true },
  };
}

export const mayRunInShell = (escopo: AppSettings['escopo'], allowed: ShellScripts): boolean =>
  escopo === 'sistema' || (escopo === 'pessoa' && allowed === 'person');

/** Below the root that its backend serves. */
export const loaderOf = ({ type, engine }: Manifest): string | null => (type === 'engine' ? scriptAt(engine?.loader) : null);

/** The loader as the shell gets it; null for an app without a loader. */
export function loaderView(apps: Pick<Apps, 'scope'>, usuario: string, manifest: Manifest, allowed: ShellScripts): AppProjection['loader'] {
  if (loaderOf(manifest) === null) return null;
  const endereco = `/api/apps/${manifest.id}/loader.js?v=${encodeURIComponent(manifest.version)}`;
  return { endereco, permitido: mayRunInShell(apps.scope(usuario, manifest.id), allowed) };
}

/** With what the catalogue says of it; the reason is the app's. */
function extensionOf({ contributes }: Manifest, extensions: readonly Extension[]): AppSettings['extensao'] {
  const { id, razao } = (contributes?.browserExtension ?? {}) as { readonly id?: unknown; readonly razao?: unknown };
  const found = extensions.find((extension) => extension.id === id);
  const isReason = typeof razao === 'string' && razao.length <= limits.extensionReasonCharsMax && unshownIn(razao) === null && razao !== '';
  return found === undefined ? null : { ...found, razao: isReason ? razao : null };
}

/** Its path in the package. */
export const settingsScriptOf = ({ contributes }: Manifest): string | null => scriptAt(contributes?.settings);
const scriptAt = (file: unknown): string | null =>
  typeof file === 'string' && script.test(file) && !file.split('/').includes('..') ? file : null;
