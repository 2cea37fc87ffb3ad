/** The signature of what is installed: its claim before anything is fetched, its bytes before anything is extracted. */
import { join } from 'node:path';
import { SvcError } from '../../../schema/errors.ts';
import { limits } from '../../../schema/limits.ts';
import { readPlainFile } from '../../../schema/plain-file.ts';
import { isMissing } from '../../atomic-file.ts';
import { fetchDocument } from '../../install/download.ts';
import { hashFile } from '../../install/tree.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { checkTarball, type Claim, claimText, signedClaim } from '../layout/signature.ts';

interface Order {
  readonly chave: string | null;
  readonly assinatura: string | null;
  readonly repository: string;
}

/** The signature that the installer judges before anything is extracted. */
export interface Signed {
  readonly key: string;
  readonly signature: string;
  readonly claim: Claim;
}

interface Named {
  readonly app: string | null;
  readonly version: string | null;
}

interface Found extends Named {
  readonly source: { readonly kind: string; readonly sha256?: string | null; readonly path?: string };
}

/** The same, with what it has to be: app and version are those that were signed. Rejects SIGNATURE_MISSING or SIGNATURE_REFUSED. */
export async function signedBy<F extends Found>(
  { chave: key, assinatura, repository }: Order,
  found: F,
): Promise<F & { readonly signed?: Signed }> {
  const { source } = found;
  // Engines of what is installed are held against their own sha256.
  if (key === null || source.kind === 'installed') return found;
  if (source.kind === 'folder')
    throw new SvcError('SIGNATURE_MISSING', `${source.path ?? ''} is a folder, which nobody signs: install what was published`);
  const signature = assinatura ?? (await signatureIn(repository, found));
  const claim = signedClaim(signature, key);
  const [app, version] = [found.app ?? claim.app, found.version ?? claim.version];
  const expected = { app, version, sha256: source.sha256 ?? claim.sha256 };
  if (claimText(claim) !== claimText(expected))
    throw new SvcError('SIGNATURE_REFUSED', `the signature is for "${claimText(claim)}", and this is "${claimText(expected)}"`);
  return { ...found, app, version, signed: { key, signature, claim } };
}

async function signatureIn(repository: string, { app, version }: Named): Promise<string> {
  const none = (): never => {
    throw new SvcError('SIGNATURE_MISSING', app === null ? 'a tarball needs --assinatura' : `${app} ${version ?? ''} is not signed there`);
  };
  if (app === null || version === null || repository === '') return none();
  const name = repositoryPaths.signature(app, version);
  try {
    const bytes = /^https?:\/\//.test(repository)
      ? await fetchDocument(`${repository.replace(/(?<!\/)\/+$/, '')}/${name}`, limits.signatureBytesMax)
      : await readPlainFile(join(repository, name), limits.signatureBytesMax);
    return Buffer.from(bytes).toString('utf8');
  } catch (error) {
    if (isMissing(error) || (error instanceof SvcError && error.code === 'PACKAGE_SOURCE_MISSING')) return none();
    throw error;
  }
}

/** Rejects SIGNATURE_REFUSED for other bytes than were signed. `sha256`: of the tarball. */
export async function checkSigned(tarball: string, sha256: string | null, { key, signature, claim }: Signed): Promise<void> {
  if (sha256 !== claim.sha256)
    throw new SvcError('SIGNATURE_REFUSED', `the tarball has the sha256 ${sha256}, signed is ${claim.sha256}; nothing was extracted`);
  checkTarball(signature, key, Buffer.from(await hashFile(tarball, 'blake2b512'), 'hex'));
}
