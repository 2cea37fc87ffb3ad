/** Judges the signatures of a repository with a key, before its versions are offered. Decision: docs/decisions/0435-signed-versions.md */
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { limits } from '../../../schema/limits.ts';
import type { OfferSignature } from '../../../schema/shop-view.ts';
import { checkClaim } from '../layout/signature.ts';
import { readSignatures } from '../layout/signatures.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { documentAt, documentIn } from './document.ts';
import { isRepositoryFolder, type RepositoryLocation } from './location.ts';

/** Texts by `id version`; none where nothing was ever signed. Rejects when it is not known. */
export async function signaturesAt(location: RepositoryLocation): Promise<ReadonlyMap<string, string>> {
  const bytesMax = limits.catalogueBytesMax;
  const bytes =
    location.kind === 'url'
      ? await documentAt(location.url, repositoryPaths.signatures, 'signatures', bytesMax)
      : (await isRepositoryFolder(location.folder)) && (await documentIn(path.join(location.folder, repositoryPaths.signatures), bytesMax));
  return bytes ? readSignatures(bytes) : new Map();
}

interface Published {
  readonly version: string;
  readonly sha256: string | null;
}

/** Judges what was not judged before, some at a time: each takes a tenth of a millisecond. */
export async function judgeSignatures(
  apps: readonly { readonly id: string; readonly versions: readonly Published[] }[],
  key: string,
  texts: ReadonlyMap<string, string>,
  known: ReadonlyMap<string, OfferSignature>,
): Promise<ReadonlyMap<string, OfferSignature>> {
  const judged = new Map<string, OfferSignature>();
  for (const { id, versions } of apps)
    for (const { version, sha256 } of versions) {
      const text = texts.get(`${id} ${version}`) ?? null;
      const mark = markOf(id, { version, sha256 }, text);
      judged.set(mark, known.get(mark) ?? judge({ id, version, sha256 }, key, text));
      if (judged.size % 100 === 0) await setImmediate();
    }
  return judged;
}

export const markOf = (id: string, { version, sha256 }: Published, text: string | null): string =>
  `${id} ${version} ${sha256 ?? ''} ${text ?? ''}`;

function judge({ id, version, sha256 }: Published & { readonly id: string }, key: string, text: string | null): OfferSignature {
  if (sha256 === null) return { refused: 'its package is not packed, so nobody signed it' };
  if (text === null) return { refused: 'it is not signed' };
  try {
    return { text, signedBy: checkClaim(text, key, { app: id, version, sha256 }) };
  } catch (error) {
    return { refused: (error as Error).message };
  }
}
