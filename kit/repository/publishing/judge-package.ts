/**
 * Whether a folder is a package that may be published: the whole manifest, and the files that it names. The author's command and the repository that
 * takes the package ask this same function, so that what passes here is not refused there: elsewhere shops and packers disagree about what is valid,
 * and a package that works on the author's machine lacks a file when packed. The command asks it about the folder and again about the opened
 * tarball. A missing entrypoint is a warning only when `installCommand` may make it.
 */
import { type FileHandle, open } from 'node:fs/promises';
import { constants } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { type FileReport, type Finding, type Problem, pointer, toReport } from '../../../schema/findings.ts';
import { SvcError } from '../../../schema/errors.ts';
import { refuseOtherKindSync } from '../../../schema/plain-file.ts';
import { limits } from '../../../schema/limits.ts';
import type { Manifest } from '../../../schema/manifest/manifest.ts';
import { servedFiles } from '../../../schema/manifest/named-files.ts';
import { validateManifest } from '../../../schema/manifest/validate.ts';
import { readJson } from '../../../schema/positions/json.ts';
import { clip, locate } from '../../../schema/positions/node.ts';
import { renderFinding } from '../../../schema/render.ts';
import { shopPageFile } from '../../../schema/shop-page/file.ts';
import { type IconType, iconTypes } from '../layout/paths.ts';
import { isMissing } from '../../atomic-file.ts';
import type { WalkedEntry } from '../../archive/walk.ts';
import { judgeShopPage, type PackedShopPage } from './shop-page.ts';

export interface Judged {
  readonly report: FileReport;
  /** Text of svc-app.json, for showing the places. */
  readonly text: string;
  /** Null exactly when the report has errors. */
  readonly manifest: Manifest | null;
  readonly icon: { readonly type: IconType; readonly bytes: Uint8Array } | null;
  readonly shop: PackedShopPage | null;
  /** The section of CHANGELOG.md about this version; '' without it. */
  readonly novidades: string;
}

/** `entries` are the files that go in, or came out. `shownAs` is how findings name the manifest. Rejects PACKAGE_REFUSED without one. */
export async function judgePackage(dir: string, entries: readonly WalkedEntry[], shownAs: string): Promise<Judged> {
  const files = new Map(entries.filter(({ path }) => !path.endsWith('/')).map((entry) => [entry.path, entry]));
  refuseOtherKindSync(join(dir, 'svc-app.json'));
  if (!files.has('svc-app.json')) throw new SvcError('PACKAGE_REFUSED', `${shownAs}: there is no such file in the package`);
  const bytes = await readFile(join(dir, 'svc-app.json'), limits.manifestBytesMax);
  const { manifest, ...report } = validateManifest(shownAs, bytes);
  const text = new TextDecoder().decode(bytes);
  const nothing = { icon: null, shop: null, novidades: '' };
  if (manifest === null) return { report, text, manifest, ...nothing };
  const beside = toReport(shownAs, text, fileProblems(manifest, text, files));
  const whole = { ...report, ok: beside.ok, errors: beside.errors, warnings: inOrder([...report.warnings, ...beside.warnings]) };
  if (!beside.ok) return { report: whole, text, manifest: null, ...nothing };
  return {
    report: whole,
    text,
    manifest,
    icon: await readIcon(dir, manifest.icon),
    shop: await readShop(dir, files, join(dirname(shownAs), shopPageFile)),
    novidades: await readNovidades(dir, files, manifest.version),
  };
}

function inOrder(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((a, b) => a.line - b.line || a.column - b.column);
}

function fileProblems(manifest: Manifest, text: string, files: ReadonlyMap<string, WalkedEntry>): Problem[] {
  const { node } = readJson(text);
  const problems: Problem[] = [];
  const report = (code: Problem['code'], path: readonly (string | number)[], message: string): void => {
    if (node) problems.push({ code, path: pointer(path), span: locate(node, path.map(String), 'value'), message });
  };
  for (const { name, at } of servedFiles(manifest)) {
    const file = files.get(posix.normalize(name));
    if (file === undefined) report('FILE_MISSING', at, `"${clip(name)}" is not in the package`);
    else if (file.bytes > limits.packageFileBytesMax)
      report('FILE_TOO_LARGE', at, `"${clip(name)}" has ${file.bytes} bytes, expected at most ${limits.packageFileBytesMax}`);
  }
  const { entrypoint, runtime, installCommand } = manifest.backend;
  const file = files.get(posix.normalize(entrypoint));
  const place = ['backend', 'entrypoint'];
  if (file === undefined && installCommand === undefined) report('FILE_MISSING', place, `"${clip(entrypoint)}" is not in the package`);
  else if (file === undefined) report('MADE_AT_INSTALL', place, `"${clip(entrypoint)}" is not in the package: installCommand must make it`);
  else if (runtime === 'binary' && !file.executable)
    report('NOT_EXECUTABLE', place, `"${clip(entrypoint)}" may not be executed by its owner`);
  return problems;
}

async function readIcon(dir: string, icon: string | undefined): Promise<Judged['icon']> {
  const type = iconTypes.find((one) => icon?.toLowerCase().endsWith(`.${one}`));
  return icon === undefined || type === undefined ? null : { type, bytes: await readFile(join(dir, icon), limits.packageFileBytesMax) };
}

/** Null without one. Rejects PACKAGE_REFUSED with every finding. */
async function readShop(dir: string, files: ReadonlyMap<string, WalkedEntry>, shownAs: string): Promise<PackedShopPage | null> {
  const read = async (name: string, bytesMax: number): Promise<Buffer | null> =>
    files.has(name) ? await readFile(join(dir, name), bytesMax) : null;
  const source = await read(shopPageFile, limits.shopPageBytesMax);
  if (source === null) return null;
  const { page, text, ...report } = await judgeShopPage(shownAs, source, read);
  if (page !== null) return page;
  throw new SvcError('PACKAGE_REFUSED', report.errors.map((finding) => renderFinding(report, finding, text)).join('\n'));
}

/** The section of the changelog whose heading names the version, as text; longer ones are cut. */
export function novidadesOf(changelog: string, version: string): string {
  const lines = changelog.split(/\r?\n/);
  const isHeading = (line: string): boolean => /^#{1,3} /.test(line);
  const from = lines.findIndex((line) => isHeading(line) && line.split(/[\s[\]()v,:]+/).includes(version));
  if (from === -1) return '';
  const after = lines.slice(from + 1);
  const depth = (line: string): number => /^#+/.exec(line)?.[0].length ?? 0;
  const to = after.findIndex((line) => isHeading(line) && depth(line) <= depth(lines[from] as string));
  const text = after
    .slice(0, to === -1 ? undefined : to)
    .join('\n')
    .trim();
  const max = limits.novidadesCharsMax;
  return text.length <= max ? text : `${text.slice(0, max - 1).toWellFormed()}…`;
}

async function readNovidades(dir: string, files: ReadonlyMap<string, WalkedEntry>, version: string): Promise<string> {
  const file = files.get('CHANGELOG.md');
  if (file === undefined || file.bytes > limits.packageFileBytesMax) return '';
  return novidadesOf((await readFile(join(dir, 'CHANGELOG.md'), limits.packageFileBytesMax)).toString('utf8'), version);
}

/** A regular file, never through a link at its end. Rejects TOO_LARGE when there is more than the limit, whatever its size said. */
async function readFile(path: string, bytesMax: number): Promise<Buffer> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) throw new SvcError('PACKAGE_REFUSED', `${path} is gone: it changed meanwhile`);
    throw error;
  }
  try {
    const { size } = await handle.stat();
    // Reads one byte more than allowed, so that the validator itself reports a too large manifest.
    const buffer = Buffer.alloc(Math.min(size, bytesMax) + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) return buffer.subarray(0, length);
    }
  } finally {
    await handle.close();
  }
}
