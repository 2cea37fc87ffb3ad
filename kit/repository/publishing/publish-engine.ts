/** An engine tarball into a repository, and the `motores` entry that an author pastes (rules 2.3, 4.4 `publicar-motor`). */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { openPlainFile } from '../../../schema/plain-file.ts';
import { limits } from '../../../schema/limits.ts';
import type { Motor } from '../../../schema/manifest/manifest.ts';
import { isEngineName } from '../layout/paths.ts';
import { checkArchive } from '../../archive/extract.ts';
import { engineArchive } from '../../archive/rules.ts';
import type { Destination } from './publish.ts';
import { discard, openRepositoryFolder, publishEngine, stage } from './folder.ts';
import { engineAddress, upload } from './upload.ts';

interface Engine {
  readonly nome: string;
  readonly versao: string;
  /** A path that the extracted tarball must contain. */
  readonly confere?: string | undefined;
  readonly quando?: 'gpu' | undefined;
}

interface Options {
  /** Null: it is only checked. */
  readonly destination: Destination | null;
  /** Where servers will reach the repository: the prefix of `url`. */
  readonly base: URL;
  readonly nowMs: number;
  /** Bytes of the tarball that were checked so far. */
  readonly onProgress?: (bytesRead: number) => void;
}

export interface PublishedEngine {
  readonly outcome: 'checked' | 'published' | 'unchanged';
  /** To paste into `motores`. */
  readonly motor: Motor;
  readonly entries: number;
  /** Size of the unpacked content. */
  readonly bytes: number;
}

/** Rejects ARCHIVE_REFUSED, BAD_REQUEST, PACKAGE_REFUSED when `confere` is missing, VERSION_TAKEN and the errors of the repository. */
export async function publishEngineTarball(tarball: string, engine: Engine, options: Options): Promise<PublishedEngine> {
  const { nome, versao, confere, quando } = engine;
  if (!isEngineName(nome, versao))
    throw new SvcError(
      'BAD_REQUEST',
      `"${nome}" "${versao}": expected a lowercase name of at most 32 characters and a version of at most 64`,
    );
  if (confere !== undefined && !/^(?!(?:.*\/)?\.{1,2}(?:\/|$))[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(confere))
    throw new SvcError('BAD_REQUEST', `confere: expected a relative path of letters, digits, ".", "_" and "-"`);
  const { sha256, tamanho, found, counts } = await check(tarball, confere, options.onProgress);
  if (!found) throw new SvcError('PACKAGE_REFUSED', `the tarball does not contain ${confere} below its root folder`);
  const motor: Motor = {
    nome,
    versao,
    url: engineAddress(options.base, nome, versao).href,
    sha256,
    tamanho,
    ...(confere === undefined ? {} : { confere }),
    ...(quando === undefined ? {} : { quando }),
  };
  return { outcome: await give(tarball, motor, options), motor, entries: counts.entries, bytes: counts.bytes };
}

/** A single pass over the file: the judged bytes are the hashed ones. */
async function check(tarball: string, confere: string | undefined, onProgress: ((bytesRead: number) => void) | undefined) {
  const hash = createHash('sha256');
  let tamanho = 0;
  let found = confere === undefined;
  const { handle } = await openPlainFile(tarball);
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of handle.createReadStream({ autoClose: false, highWaterMark: 256 * 1_024 }) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      tamanho += chunk.length;
      yield chunk;
    }
  }
  const isThere = (path: string): boolean => confere !== undefined && (path === confere || path.startsWith(`${confere}/`));
  try {
    const counts = await checkArchive(hashed(), { limits: engineArchive, onProgress, onFile: (path) => (found ||= isThere(path)) });
    return { sha256: hash.digest('hex'), tamanho, found, counts };
  } finally {
    await handle.close();
  }
}

async function give(
  tarball: string,
  { nome, versao, sha256, tamanho }: Motor,
  { destination, nowMs }: Options,
): Promise<PublishedEngine['outcome']> {
  if (destination === null) return 'checked';
  if (destination.kind === 'address')
    return await upload(engineAddress(destination.base, nome, versao), destination.token, { path: tarball, sha256, bytes: tamanho });
  const root = resolve(destination.dir);
  await openRepositoryFolder(root);
  const staged = await stage(root, createReadStream(tarball), limits.engineTarballBytesMax);
  if (staged.sha256 !== sha256) {
    await discard(staged);
    throw new SvcError('DIGEST_MISMATCH', `${tarball} changed after it was checked: try again`);
  }
  return (await publishEngine(root, staged, { nome, versao }, nowMs)).outcome;
}
