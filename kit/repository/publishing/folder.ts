/**
 * The folder of a repository, for publishers. `v1/` is what readers and plain web servers see; `.svc/` (0700) holds the lock and files that are not
 * finished. A version is there from the moment its record is: the tarball goes in before it, the catalogue is written from the records after it. A
 * death in between leaves every version that was there, and at most a tarball without a record. Decision: docs/decisions/0055-repository-on-disk.md
 */
import { createHash, randomBytes } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { appIdFault } from '../../../schema/app-id.ts';
import { SvcError } from '../../../schema/errors.ts';
import { namesIn } from '../../../schema/folder-names.ts';
import { readPlainFile } from '../../../schema/plain-file.ts';
import { syncFolder } from '../../../schema/sync-folder.ts';
import { limits } from '../limits.ts';
import { limits as sharedLimits } from '../../../schema/limits.ts';
import type { Manifest } from '../../../schema/manifest/manifest.ts';
import { type IconType, isEngineName, isPackageName, repositoryPaths } from '../layout/paths.ts';
import { type EngineRecord, type PackageRecord, catalogueOf, readEngineRecord, readPackageRecord } from '../layout/records.ts';
import { type Claim, claimOf, claimText, readSignature } from '../layout/signature.ts';
import { type ShopPage, readVersionPage, shopPagesText } from '../layout/shop-pages.ts';
import { type SignedVersion, signaturesText } from '../layout/signatures.ts';
import type { PublishOutcome } from '../layout/writer.ts';
import { isMissing } from '../../atomic-file.ts';
import { faultPoint } from '../../faults.ts';
import { withRepositoryLock } from './lock.ts';
import { schemasToWrite } from './schemas.ts';
import type { PackedShopPage } from './shop-page.ts';

/** Bytes that are complete, synced and hashed, in a file that no reader looks for. */
export interface Staged {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface PackageToPublish {
  /** The whole manifest, validated by who publishes. */
  readonly manifest: Manifest;
  readonly novidades?: string;
  readonly icon?: { readonly type: IconType; readonly bytes: Uint8Array } | null;
  readonly shop?: PackedShopPage | null;
  /** Text of its `.minisig`. It replaces the one that is there, also when the same bytes are published again. */
  readonly signature?: string | null;
}

const stagingIn = (root: string): string => path.join(root, repositoryPaths.staging);

/** Makes what is missing of the folder, the catalogue from the records when it is not what they say, and the schema of this svc. */
export async function openRepositoryFolder(root: string): Promise<void> {
  for (const folder of [repositoryPaths.packages, repositoryPaths.engines, repositoryPaths.engineRecords]) {
    await mkdir(path.join(root, folder), { recursive: true, mode: 0o755 });
  }
  await mkdir(stagingIn(root), { recursive: true, mode: 0o700 });
  await withRepositoryLock(root, async () => {
    await sweepStaging(root);
    await writeSignatures(root);
    await writeShopPages(root);
    await writeCatalogue(root, await catalogueText(root));
    for (const [file, text] of await schemasToWrite(root)) await writeDurably(root, file, text, null);
  });
}

/**
 * Takes bytes in as they come, with back-pressure, hashing them. Rejects TOO_LARGE past `bytesMax`; nothing stays of a stream that
 * broke. The caller publishes the result or gives it to `discard`.
 */
export async function stage(root: string, source: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Staged> {
  const file = path.join(stagingIn(root), `${process.pid}-${randomBytes(9).toString('hex')}`);
  const hash = createHash('sha256');
  let bytes = 0;
  const handle = await open(file, 'wx', 0o644);
  try {
    try {
      for await (const chunk of source) {
        bytes += chunk.byteLength;
        if (bytes > bytesMax) throw new SvcError('TOO_LARGE', `expected at most ${bytesMax} bytes`, { bytesMax });
        hash.update(chunk);
        await writeWhole(handle, chunk);
      }
      faultPoint('publish-staged');
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  return { path: file, sha256: hash.digest('hex'), bytes };
}

export async function discard(staged: Staged): Promise<void> {
  await rm(staged.path, { force: true });
}

/**
 * Puts a version into the repository; the staged file is used up, also when it is refused. Rejects VERSION_TAKEN when the version
 * is there with other bytes, REPOSITORY_BUSY, REPOSITORY_INVALID when a record can't be read.
 */
export async function publishPackage(
  root: string,
  staged: Staged,
  { manifest, novidades = '', icon = null, shop = null, signature = null }: PackageToPublish,
  nowMs: number,
): Promise<PublishOutcome<PackageRecord>> {
  const { id, version } = manifest;
  try {
    if (!isPackageName(id, version)) {
      const why = appIdFault(id) ?? `expected a version of at most ${sharedLimits.repositoryNameCharsMax} characters`;
      throw new SvcError('BAD_REQUEST', `${id} ${version}: ${why}`);
    }
    if (novidades.length > sharedLimits.novidadesCharsMax) {
      throw new SvcError('TOO_LARGE', `the changelog text has more than ${sharedLimits.novidadesCharsMax} characters`);
    }
    const record: PackageRecord = {
      formato: 1,
      manifest,
      sha256: staged.sha256,
      tamanho: staged.bytes,
      publicadoEm: new Date(nowMs).toISOString(),
      novidades,
      ...(icon === null ? {} : { icone: icon.type }),
    };
    const text = json(record);
    // A record that can't be read again must not go in.
    readPackageRecord(text, id, version);
    if (signature !== null) fitting(signature, { app: id, version, sha256: staged.sha256 });
    return await withRepositoryLock(root, async () => {
      const target = path.join(root, repositoryPaths.tarball(id, version));
      const known = await recordAt(root, repositoryPaths.record(id, version), (bytes) => readPackageRecord(bytes, id, version));
      if (known) {
        const confirmed = await confirm(root, known, staged, target, `${id} ${version}`);
        await keepSignature(root, id, version, signature);
        await keepShopPage(root, id, version, shop);
        return { outcome: 'unchanged', record: confirmed };
      }
      const catalogue = await catalogueText(root, { package: record });
      await place(staged, target);
      await keepSignature(root, id, version, signature);
      await keepShopPage(root, id, version, shop);
      if (icon) await writeDurably(root, repositoryPaths.icon(id, version, icon.type), icon.bytes, 'icon');
      await writeDurably(root, repositoryPaths.record(id, version), text, 'record');
      await writeCatalogue(root, catalogue);
      return { outcome: 'published', record };
    });
  } finally {
    await discard(staged);
  }
}

/** Throws SIGNATURE_REFUSED for a signature of anything else; by which key it is, readers judge. */
function fitting(signature: string, claim: Claim): void {
  const found = claimText(claimOf(readSignature(signature)));
  if (found !== claimText(claim))
    throw new SvcError('SIGNATURE_REFUSED', `the signature is for "${found}", and this is "${claimText(claim)}"`);
}

/** In force before the version is: a reader that has the catalogue finds the signature. */
async function keepSignature(root: string, id: string, version: string, signature: string | null): Promise<void> {
  if (signature === null) return;
  await writeDurably(root, repositoryPaths.signature(id, version), signature, null);
  await writeSignatures(root);
}

/** Nothing is written where nothing was ever signed. */
async function writeSignatures(root: string): Promise<void> {
  const signed: SignedVersion[] = [];
  for await (const [id, version, bytes] of recordsBelow(path.join(root, repositoryPaths.packages), '.minisig'))
    if (isPackageName(id, version) && bytes.length <= sharedLimits.signatureBytesMax)
      signed.push({ id, version, assinatura: bytes.toString('utf8') });
  const made = { text: signaturesText(signed), isEmpty: signed.length === 0, what: 'signatures', bytesMax: sharedLimits.catalogueBytesMax };
  await writeList(root, repositoryPaths.signatures, made);
}

interface MadeList {
  readonly text: string;
  readonly isEmpty: boolean;
  readonly what: string;
  readonly bytesMax: number;
}

/** An empty one is written only where there is one. */
async function writeList(root: string, relative: string, { text, isEmpty, what, bytesMax }: MadeList): Promise<void> {
  const before = await readPlainFile(path.join(root, relative)).catch(() => null);
  if (isEmpty && before === null) return;
  if (Buffer.byteLength(text) > bytesMax)
    throw new SvcError('TOO_LARGE', `the ${what} would be larger than ${bytesMax} bytes: remove those of old versions`);
  if (before?.toString('utf8') !== text) await writeDurably(root, relative, text, null);
}

/** Pictures first: a reader that has the page finds them. */
async function keepShopPage(root: string, id: string, version: string, shop: PackedShopPage | null): Promise<void> {
  if (shop === null) return;
  const imagens = shop.pictures.map(({ bytes, text, type, width, height }) => ({
    bytes,
    said: { sha256: createHash('sha256').update(bytes).digest('hex'), tipo: type, largura: width, altura: height, texto: text },
  }));
  for (const { bytes, said } of imagens) await writeDurably(root, repositoryPaths.picture(id, said.sha256, said.tipo), bytes, null);
  const documentacao = shop.documentation === null ? {} : { documentacao: shop.documentation };
  const page: ShopPage = { id, version, ...documentacao, imagens: imagens.map(({ said }) => said) };
  await writeDurably(root, repositoryPaths.shopPage(id, version), json(page), null);
  await writeShopPages(root);
}

/** Nothing is written where no version has a page. */
async function writeShopPages(root: string): Promise<void> {
  const pages: ShopPage[] = [];
  for await (const [id, version, bytes] of recordsBelow(path.join(root, repositoryPaths.shop)))
    pages.push(readVersionPage(`the page of ${id} ${version}`, bytes));
  const made = { text: shopPagesText(pages), isEmpty: pages.length === 0, what: 'pages', bytesMax: sharedLimits.shopPagesBytesMax };
  await writeList(root, repositoryPaths.shopPages, made);
}

/** As `publishPackage`, for an engine (rules 2.3, 4.4 `publicar-motor`). */
export async function publishEngine(
  root: string,
  staged: Staged,
  { nome, versao }: { readonly nome: string; readonly versao: string },
  nowMs: number,
): Promise<PublishOutcome<EngineRecord>> {
  try {
    if (!isEngineName(nome, versao)) throw new SvcError('BAD_REQUEST', `${nome} ${versao}: expected a name and a version by rule 2.3`);
    const published = { sha256: staged.sha256, tamanho: staged.bytes, publicadoEm: new Date(nowMs).toISOString() };
    const record: EngineRecord = { formato: 1, nome, versao, ...published };
    const text = json(record);
    readEngineRecord(text, nome, versao);
    return await withRepositoryLock(root, async () => {
      const target = path.join(root, repositoryPaths.engine(nome, versao));
      const known = await recordAt(root, repositoryPaths.engineRecord(nome, versao), (bytes) => readEngineRecord(bytes, nome, versao));
      if (known) return { outcome: 'unchanged', record: await confirm(root, known, staged, target, `the engine ${nome} ${versao}`) };
      const catalogue = await catalogueText(root, { engine: record });
      await place(staged, target);
      await writeDurably(root, repositoryPaths.engineRecord(nome, versao), text, 'record');
      await writeCatalogue(root, catalogue);
      return { outcome: 'published', record };
    });
  } finally {
    await discard(staged);
  }
}

/** The same bytes again: what a death or a hand took away is put back. */
async function confirm<R extends PackageRecord | EngineRecord>(
  root: string,
  known: R,
  staged: Staged,
  target: string,
  what: string,
): Promise<R> {
  if (known.sha256 !== staged.sha256) {
    throw new SvcError('VERSION_TAKEN', `${what} is in the repository with other bytes: give it another version`, {
      published: known.sha256,
      offered: staged.sha256,
    });
  }
  const there = await stat(target).catch(() => null);
  if (there?.size !== known.tamanho) await place(staged, target);
  await writeCatalogue(root, await catalogueText(root));
  return known;
}

async function place(staged: Staged, target: string): Promise<void> {
  await makeFolder(path.dirname(target));
  faultPoint('publish-before-tarball');
  await rename(staged.path, target);
  await syncFolder(path.dirname(target));
  faultPoint('publish-tarball-placed');
}

/** The text of the catalogue of all records, with one more. Rejects TOO_LARGE when readers would refuse it. */
async function catalogueText(
  root: string,
  more: { readonly package?: PackageRecord; readonly engine?: EngineRecord } = {},
): Promise<string> {
  const packages: PackageRecord[] = more.package ? [more.package] : [];
  const engines: EngineRecord[] = more.engine ? [more.engine] : [];
  for await (const [id, version, bytes] of recordsBelow(path.join(root, repositoryPaths.packages))) {
    if (isPackageName(id, version)) packages.push(readPackageRecord(bytes, id, version));
  }
  for await (const [nome, versao, bytes] of recordsBelow(path.join(root, repositoryPaths.engineRecords))) {
    if (isEngineName(nome, versao)) engines.push(readEngineRecord(bytes, nome, versao));
  }
  const text = json(catalogueOf(packages, engines));
  if (Buffer.byteLength(text) > sharedLimits.catalogueBytesMax) {
    throw new SvcError(
      'TOO_LARGE',
      `the catalogue would be larger than ${sharedLimits.catalogueBytesMax} bytes: remove records of old versions`,
    );
  }
  return text;
}

async function* recordsBelow(
  folder: string,
  end: '.json' | '.minisig' = '.json',
): AsyncGenerator<[name: string, version: string, bytes: Buffer]> {
  for (const name of await namesIn(folder)) {
    const files = await namesIn(path.join(folder, name));
    for (const file of files.filter((one) => one.endsWith(end))) {
      yield [name, file.slice(0, -end.length), await readPlainFile(path.join(folder, name, file))];
    }
  }
}

async function recordAt<R>(root: string, relative: string, read: (bytes: Buffer) => R): Promise<R | null> {
  try {
    return read(await readPlainFile(path.join(root, relative)));
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

/** Not written when it says so already: the ETag and the date of a static server stay. */
async function writeCatalogue(root: string, text: string): Promise<void> {
  const before = await readPlainFile(path.join(root, repositoryPaths.catalogue)).catch(() => null);
  if (before?.toString('utf8') !== text) await writeDurably(root, repositoryPaths.catalogue, text, 'catalogue');
}

async function writeDurably(
  root: string,
  relative: string,
  content: string | Uint8Array,
  step: 'icon' | 'record' | 'catalogue' | null,
): Promise<void> {
  const target = path.join(root, relative);
  await makeFolder(path.dirname(target));
  const temporary = path.join(stagingIn(root), `${process.pid}-${randomBytes(9).toString('hex')}`);
  const handle = await open(temporary, 'wx', 0o644);
  try {
    await writeWhole(handle, typeof content === 'string' ? Buffer.from(content) : content);
    await handle.sync();
  } finally {
    await handle.close();
  }
  if (step !== null) faultPoint(`publish-${step}-written`);
  await rename(temporary, target);
  await syncFolder(path.dirname(target));
  if (step !== null) faultPoint(`publish-${step}-placed`);
}

async function writeWhole(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength;) at += (await handle.write(bytes, at)).bytesWritten;
}

async function makeFolder(folder: string): Promise<void> {
  const made = await mkdir(folder, { recursive: true, mode: 0o755 });
  if (made !== undefined) await syncFolder(path.dirname(made));
}

/** Removes files of dead uploads; a living upload writes to its file all the time. */
async function sweepStaging(root: string): Promise<void> {
  const folder = stagingIn(root);
  for (const name of await readdir(folder)) {
    const file = path.join(folder, name);
    const seen = await stat(file).catch(() => null);
    // A folder, too: what was being judged when its publisher died.
    if (seen && Date.now() - seen.mtimeMs > limits.repositoryStagingMsMax) await rm(file, { force: true, recursive: true });
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 1)}\n`;
}
