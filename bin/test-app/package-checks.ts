/** Checks the package that publishing would ship: judged, packed and unpacked again, and the files that the manifest promises. */
import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding as Reported, FileReport } from '../../schema/findings.ts';
import { renderFinding } from '../../schema/render.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { windowIconFiles } from '../../api/routes/icons.ts';
import { extractArchive } from '../../kit/archive/extract.ts';
import { packFolder } from '../../kit/archive/pack.ts';
import { packageArchive } from '../../kit/archive/rules.ts';
import { walkFolder } from '../../kit/archive/walk.ts';
import { judgePackage, type Judged } from '../../kit/repository/publishing/judge-package.ts';
import { packageChooser } from '../../kit/repository/publishing/package-files.ts';
import { cachedPackageHash } from '../../kit/launch/package-hash-cache.ts';
import { type Finding, type Findings, fail, notApplicable, pass } from './check.ts';
import type { Package } from './app-process.ts';

/** Codes about files, not about the manifest itself. */
const fileCodes: ReadonlySet<string> = new Set(['FILE_MISSING', 'FILE_TOO_LARGE', 'NOT_EXECUTABLE']);

export interface JudgedFolder {
  readonly findings: Findings;
  /** Null when there is no package to run. */
  readonly manifest: Manifest | null;
  /** Paths of the files that go in. */
  readonly files: ReadonlySet<string>;
}

/** Rejects PACKAGE_REFUSED without svc-app.json and ARCHIVE_REFUSED for what can't be packed, as publishing does. */
export async function judgeFolder(dir: string): Promise<JudgedFolder> {
  const chosen = packageChooser(dir);
  const entries = walkFolder(dir, packageArchive, chosen);
  const files = new Set(entries.map(({ path }) => path));
  const judged = await judgePackage(dir, entries, 'svc-app.json');
  const { errors } = judged.report;
  const missing = errors.find(({ code }) => fileCodes.has(code));
  const ofManifest = errors.filter(({ code }) => !fileCodes.has(code));
  const manifest = manifestFinding(judged, ofManifest);
  if (ofManifest.length > 0) return { findings: { manifest }, manifest: null, files };
  if (missing !== undefined) return { findings: { manifest, files: missingFile(dir, missing) }, manifest: null, files };
  return { findings: { manifest, files: judged.manifest ? promised(judged.manifest, files) : pass() }, manifest: judged.manifest, files };
}

function manifestFinding({ report, text }: Judged, errors: readonly Reported[]): Finding {
  const [first] = errors;
  if (first === undefined) {
    const [warning] = report.warnings;
    if (warning === undefined) return pass();
    const told = `svc-app.json:${warning.line}:${warning.column} ${warning.code} ${warning.message}`;
    return pass(`aviso: ${told}`, `warning: ${told}`);
  }
  const told = headOf(report, first, text);
  const more = errors.length - 1;
  const detail = more === 0 ? { pt: told, en: told } : { pt: `${told} (e mais ${more})`, en: `${told} (and ${more} more)` };
  const hint = /did you mean "[^"]*"\?|it belongs into [^;\n]+/.exec(first.message)?.[0];
  const place = `svc-app.json:${first.line}:${first.column}`;
  return fail(detail, {
    pt: hint === undefined ? `corrija ${place}; svc validate mostra a linha` : `${place}: ${hint}`,
    en: hint === undefined ? `mend ${place}; svc validate shows the line` : `${place}: ${hint}`,
  });
}

const headOf = (report: FileReport, finding: Reported, text: string): string => renderFinding(report, finding, text).split('\n')[0] ?? '';

/** The same file may lie in the folder and be left out of the package. */
function missingFile(dir: string, { code, message, path }: Reported): Finding {
  const name = /^"([^"]*)"/.exec(message)?.[1] ?? '';
  const field = path.slice(1).replaceAll('/', '.');
  const told = `${field}: ${message}`;
  if (code === 'NOT_EXECUTABLE') return fail({ pt: told, en: told }, { pt: `chmod +x ${name}`, en: `chmod +x ${name}` });
  if (code === 'FILE_MISSING') return absent(dir, name, field);
  return fail({ pt: told, en: told }, { pt: `diminua ${name}`, en: `make ${name} smaller` });
}

function absent(dir: string, name: string, field: string): Finding {
  const detail = { pt: `${field}: "${name}" não está no pacote`, en: `${field}: "${name}" is not in the package` };
  if (existsSync(join(dir, name))) return fail(detail, { pt: `!${name} em .svcignore`, en: `!${name} in .svcignore` });
  if (field !== 'backend.entrypoint')
    return fail(detail, { pt: `crie ${name}, ou tire ${field} de svc-app.json`, en: `make ${name}, or remove ${field} from svc-app.json` });
  return existsSync(join(dir, 'build.sh'))
    ? fail(detail, { pt: 'sh build.sh', en: 'sh build.sh' })
    : fail(detail, { pt: `faça ${name} (compile, ou escreva)`, en: `make ${name} (build it, or write it)` });
}

/** The paths inside the app: `window.icone.url` as the portal looks for it. `engine.loader` may be served, too: `loaderFinding`. */
function promised(manifest: Manifest, files: ReadonlySet<string>): Finding {
  const icone = manifest.window?.['icone'] as { readonly url?: string } | undefined;
  const url = icone?.url;
  if (url !== undefined) {
    const places = windowIconFiles(url);
    if (places.length === 0)
      return fail(
        { pt: `window.icone.url: "${url}" não é uma imagem dentro do app`, en: `window.icone.url: "${url}" is no image inside the app` },
        { pt: '"icone": { "url": "icone.svg" }, um arquivo de frontend/', en: '"icone": { "url": "icone.svg" }, a file of frontend/' },
      );
    if (!places.some((place) => files.has(place))) return absentOf('window.icone.url', places);
  }
  return pass();
}

function absentOf(field: string, places: readonly string[]): Finding {
  return fail(
    { pt: `${field}: nem ${places.join(' nem ')} está no pacote`, en: `${field}: neither ${places.join(' nor ')} is in the package` },
    { pt: `crie ${places[0]}`, en: `make ${places[0]}` },
  );
}

/** The loader is in the package; that of a server-scope app may be its backend's alone, as the portal believes it. Source: docs/decisions/0205-engines-in-the-environment.md */
export async function loaderFinding(
  { type, engine, escopo }: Manifest,
  files: ReadonlySet<string>,
  isServed: (path: string) => Promise<boolean>,
): Promise<Finding | null> {
  const loader = engine?.loader;
  if (type !== 'engine' || loader === undefined) return null;
  const places = [`frontend/${loader}`, loader];
  if (places.some((place) => files.has(place))) return null;
  return escopo === 'servidor' && (await isServed(`/${loader}`)) ? null : absentOf('engine.loader', places);
}

/** The folder as a server would unpack it. */
export async function unpack(dir: string, manifest: Manifest, workshop: string): Promise<Package> {
  const out = join(workshop, 'package.tgz');
  const root = `${manifest.id}-${manifest.version}`;
  await packFolder(dir, { root, out, chosen: packageChooser(dir), level: 1 });
  const folder = join(workshop, 'package');
  await extractArchive(out, folder, { limits: packageArchive, root });
  return await hashed(realpathSync(folder), manifest, workshop);
}

export async function hashed(dir: string, manifest: Manifest, workshop: string): Promise<Package> {
  const names = walkFolder(dir, packageArchive).map(({ path }) => path);
  return { dir, manifest, hash: await cachedPackageHash(dir, join(workshop, 'package.hash')), names };
}

/** Fails when running the package changed it. */
export function untouched(before: Package, after: Package): Finding {
  if (before.hash === after.hash) return pass();
  const known = new Set(before.names);
  const written = after.names.find((name) => !known.has(name)) ?? '';
  const named = written === '' ? '' : ` (${written})`;
  const detail = {
    pt: `o app escreveu no próprio pacote${named}, que nos servidores é do administrador`,
    en: `the app wrote into its own package${named}, which on servers is the administrator's`,
  };
  if (before.manifest.backend.runtime === 'node') return fail(detail, mend('servidor.pastaDeDados()'));
  if (before.manifest.backend.runtime === 'binary') return fail(detail, mend('SVC_APP_DATA_DIR'));
  if (!written.includes('__pycache__')) return fail(detail, mend('servidor.pasta_de_dados()'));
  return fail(detail, { pt: 'importe svc antes dos seus módulos', en: 'import svc before your own modules' });
}

const mend = (folder: string) => ({ pt: `${folder} para o que o app guarda`, en: `${folder} for what the app keeps` });

export const noInstallCommand = (): Finding => notApplicable('sem installCommand', 'no installCommand');
