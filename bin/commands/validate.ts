/**
 * `svc validate FILE…`: manifests and `extensoes.json` (JSON), and desired state (YAML). A folder with svc-app.json is a package, any other folder a
 * desired state, judged as a whole; below it packages are looked for too. YAML files given by name are judged together, and the
 * other YAML of their folders answers their references.
 */
import path from 'node:path';
import about from '../../package.json' with { type: 'json' };
import { extensionFile } from '../../schema/extensions/file.ts';
import { shopPageFile } from '../../schema/shop-page/file.ts';
import { type FileReport, type Finding, findingKinds, pointer, toReport } from '../../schema/findings.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { readJson } from '../../schema/positions/json.ts';
import { clip, locate } from '../../schema/positions/node.ts';
import type { DesiredFile } from '../../schema/desired/load.ts';
import { renderFinding } from '../../schema/render.ts';
import { color, plain, jsonText, write } from '../output.ts';
import { filesBeside, type Found, findSources, readBytes, siblingsOf } from './validate-sources.ts';

interface Judged {
  readonly report: FileReport;
  readonly bytes: Uint8Array;
}

/** Exit 0 when nothing has an error. The JSON shape is that of the issue: an array of reports. */
export async function runValidate(paths: readonly string[], { json }: { readonly json?: boolean }): Promise<number> {
  const found = await findSources(paths);
  const judged = [
    ...found.unreadable.map(({ file, message }) => unreadable(file, message)),
    ...(await judgeManifests(found)).filter(({ report }) => paths.includes(report.file) || !isGoodPage(report)),
    ...(await judgeDesired(found)),
    ...found.unread.map((report) => ({ report, bytes: new Uint8Array() })),
  ];
  const reports = judged.map(({ report }) => report);
  if (json === true) write(`${jsonText(reports, 2)}\n`);
  else write(judged.map(render).join('') + summary(reports));
  return reports.every(({ ok }) => ok) ? 0 : 1;
}

/** A page of the shop without a finding is a part of its package. */
const isGoodPage = ({ file, errors, warnings }: FileReport): boolean =>
  path.basename(file) === shopPageFile && errors.length + warnings.length === 0;

interface JudgedManifest extends Judged {
  /** Null for what is none, or has errors. */
  readonly manifest: Manifest | null;
}

async function judgeManifests({ manifests, desired }: Found): Promise<Judged[]> {
  if (manifests.length === 0) return [];
  const { validateManifest } = await import('../../schema/manifest/validate.ts');
  const judged = await Promise.all(
    manifests.map(async (file): Promise<JudgedManifest> => {
      const bytes = await readBytes(file);
      if (typeof bytes === 'string') return { ...unreadable(file, bytes), manifest: null };
      if (path.basename(file) === extensionFile) {
        const { extensions: _, ...report } = await judgeExtensions(file, bytes);
        return { report, bytes, manifest: null };
      }
      if (path.basename(file) === shopPageFile) return { report: await judgePageOfShop(file, bytes), bytes, manifest: null };
      const { manifest, ...report } = validateManifest(file, bytes);
      return { report: withWarnings(report, await unknownExtension(file, bytes, manifest)), bytes, manifest };
    }),
  );
  return await judgeSurroundings(judged, desired);
}

function withWarnings(report: FileReport, more: readonly Finding[]): FileReport {
  return { ...report, warnings: [...report.warnings, ...more].toSorted((a, b) => a.line - b.line || a.column - b.column) };
}

/** Finds what can't work where it will run, for manifests without errors. */
async function judgeSurroundings(judged: readonly JudgedManifest[], desired: Found['desired']): Promise<Judged[]> {
  const { surroundingProblems } = await import('../../schema/manifest/surroundings.ts');
  const files = await Promise.all(desired.flatMap((group) => group.files).map(async (name) => ({ name, bytes: await readBytes(name) })));
  const readable = files.filter((file): file is { name: string; bytes: Uint8Array } => typeof file.bytes !== 'string');
  const manifests = judged.flatMap(({ manifest }) => manifest ?? []);
  const place = readable.length === 0 ? null : await (await import('./validate-place.ts')).placeOf(readable, manifests);
  return judged.map(({ report, bytes, manifest }) => {
    const text = new TextDecoder().decode(bytes);
    const { node } = manifest === null ? { node: null } : readJson(text);
    if (manifest === null || !node) return { report, bytes };
    const problems = surroundingProblems(manifest, node, { svcVersion: about.version, place, file: filesBeside(report.file) });
    return { report: withWarnings(report, toReport(report.file, text, problems).warnings), bytes };
  });
}

async function judgeExtensions(file: string, bytes: Uint8Array) {
  const { readExtensions } = await import('../../schema/extensions/catalogue.ts');
  return readExtensions(file, bytes);
}

async function judgePageOfShop(file: string, bytes: Uint8Array): Promise<FileReport> {
  const { judgeShopPage } = await import('../../kit/repository/publishing/shop-page.ts');
  const {
    page: _,
    text: __,
    ...report
  } = await judgeShopPage(file, bytes, async (name, bytesMax) => {
    const found = await readBytes(path.join(path.dirname(file), name), bytesMax);
    return typeof found === 'string' ? null : found;
  });
  return report;
}

/** Where the package lies in a repository with a catalogue of extensions, whether that has the one that the app suggests. */
async function unknownExtension(file: string, bytes: Uint8Array, manifest: Manifest | null): Promise<readonly Finding[]> {
  const id = manifest?.contributes?.browserExtension?.id;
  if (id === undefined) return [];
  const catalogue = path.join(path.dirname(path.resolve(file)), '..', extensionFile);
  const found = await readBytes(catalogue);
  const extensions = typeof found === 'string' ? null : (await judgeExtensions(catalogue, found)).extensions;
  if (extensions === null || extensions.some((extension) => extension.id === id)) return [];
  const place = ['contributes', 'browserExtension', 'id'];
  const text = new TextDecoder().decode(bytes);
  const { node } = readJson(text);
  if (!node) return [];
  const message = `no extension "${clip(id)}" in the ${extensionFile} beside the package: it is not offered`;
  return toReport(file, text, [{ code: 'EXTENSION_UNKNOWN', path: pointer(place), span: locate(node, place, 'value'), message }]).warnings;
}

async function judgeDesired({ desired }: Found): Promise<Judged[]> {
  if (desired.length === 0) return [];
  const { openFiles, readDesired } = await import('../../schema/desired/load.ts');
  const [{ ownPeople }, { isRoot }] = await Promise.all([
    import('../../controller/desired/own-people.ts'),
    import('../../controller/hosts/own-account.ts'),
  ]);
  const judged: Judged[] = [];
  for (const group of desired) {
    const files: DesiredFile[] = [];
    const hidden: DesiredFile[] = [];
    for (const name of group.files) {
      const bytes = await readBytes(name);
      if (typeof bytes !== 'string') files.push({ name, bytes });
      else {
        judged.push(unreadable(name, bytes));
        // Documents that it may declare are not called missing.
        hidden.push({ name, bytes: Uint8Array.of(0xff) });
      }
    }
    const context = group.isWhole ? hidden : [...hidden, ...(await siblingsOf(group.files))];
    // As the portal would see it that this account starts on this machine.
    const known = isRoot() ? openFiles([...files, ...context]).flatMap(({ sources, broken }) => [sources, broken].flat()) : [];
    const { hasAccount } = await ownPeople(known.map(({ document }) => document));
    const { judgeOffered } = await import('./validate-repository.ts');
    const reports = await judgeOffered(files, readDesired(files, context, hasAccount).reports);
    judged.push(...reports.map((report, at) => ({ report, bytes: files[at]?.bytes as Uint8Array })));
  }
  return judged;
}

function unreadable(file: string, message: string): Judged {
  const code = message === '' ? 'EMPTY' : 'UNREADABLE';
  const finding = {
    code,
    path: '',
    line: 1,
    column: 1,
    message: message === '' ? 'it holds no svc-app.json and no *.yaml: is it the folder of an app, or of a desired state?' : message,
  };
  return { report: { file, ok: findingKinds[code].weight !== 'error', errors: [finding], warnings: [] }, bytes: new Uint8Array() };
}

function render({ report, bytes }: Judged): string {
  if (report.errors.length + report.warnings.length === 0) return `${plain(report.file)}: ok\n`;
  const text = new TextDecoder().decode(bytes);
  const lines = (findings: FileReport['errors'], weight: 'error' | 'warning') =>
    findings.map((finding) => {
      const [head = '', ...source] = renderFinding({ ...report, file: plain(report.file) }, finding, text).split('\n');
      const shown = weight === 'error' ? color('red', head) : color('yellow', `${head} (warning)`);
      return `${shown}\n${source.map((line) => `${line}\n`).join('')}`;
    });
  return [...lines(report.errors, 'error'), ...lines(report.warnings, 'warning')].join('');
}

function summary(reports: readonly FileReport[]): string {
  const count = (number: number, word: string) => `${number} ${word}${number === 1 ? '' : 's'}`;
  const errors = reports.reduce((sum, report) => sum + report.errors.length, 0);
  const warnings = reports.reduce((sum, report) => sum + report.warnings.length, 0);
  return `${count(reports.length, 'file')}, ${count(errors, 'error')}, ${count(warnings, 'warning')}\n`;
}
