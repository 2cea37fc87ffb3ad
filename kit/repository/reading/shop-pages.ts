/** Pictures and documentation that a repository keeps beside its catalogue. Decision: docs/decisions/0451-pages-of-the-shop.md */
import path from 'node:path';
import { limits } from '../../../schema/limits.ts';
import { readPlainFile } from '../../../schema/plain-file.ts';
import { shopPageFile } from '../../../schema/shop-page/file.ts';
import { readShopPage } from '../../../schema/shop-page/page.ts';
import type { OfferPage } from '../../../schema/shop-view.ts';
import { repositoryPaths } from '../layout/paths.ts';
import { pictureOf } from '../layout/picture.ts';
import { readShopPages, type ShopPage } from '../layout/shop-pages.ts';
import { changedDocumentAt, documentIn } from './document.ts';
import { isRepositoryFolder, type RepositoryLocation } from './location.ts';

export interface HeldPages {
  readonly etag: string | null;
  /** By `id version`. */
  readonly pages: ReadonlyMap<string, OfferPage>;
}

type Apps = readonly { readonly id: string; readonly versions: readonly { readonly version: string }[] }[];

const none: HeldPages = { etag: null, pages: new Map() };

/** Rejects when it is not known. */
export async function pagesAt(location: RepositoryLocation, apps: Apps, before: HeldPages | null): Promise<HeldPages> {
  const bytesMax = limits.shopPagesBytesMax;
  if (location.kind === 'url') {
    const found = await changedDocumentAt(location.url, repositoryPaths.shopPages, 'pages of the shop', bytesMax, before?.etag ?? null);
    if (found === 'same') return before ?? none;
    return found === null ? none : { etag: found.etag, pages: published(found.bytes) };
  }
  if (!(await isRepositoryFolder(location.folder))) return { etag: null, pages: await unpacked(location.folder, apps) };
  const bytes = await documentIn(path.join(location.folder, repositoryPaths.shopPages), bytesMax);
  return bytes === null ? none : { etag: null, pages: published(bytes) };
}

function published(bytes: Uint8Array): HeldPages['pages'] {
  const offered = ({ documentacao, imagens }: ShopPage): OfferPage => ({
    documentation: documentacao ?? null,
    pictures: imagens.map(({ sha256, tipo, texto, largura, altura }) => ({
      file: `${sha256}.${tipo}`,
      text: texto,
      width: largura,
      height: altura,
    })),
  });
  return new Map([...readShopPages(bytes)].map(([name, page]) => [name, offered(page)]));
}

/** A page with an error is left out: `svc validate` says what is wrong with it. */
async function unpacked(folder: string, apps: Apps): Promise<HeldPages['pages']> {
  const pages = new Map<string, OfferPage>();
  for (const { id, versions } of apps) {
    const page = await pageIn(path.join(folder, id)).catch(() => null);
    if (page !== null) for (const { version } of versions) pages.set(`${id} ${version}`, page);
  }
  return pages;
}

async function pageIn(folder: string): Promise<OfferPage | null> {
  const text = await documentIn(path.join(folder, shopPageFile), limits.shopPageBytesMax);
  const page = text === null ? null : readShopPage(shopPageFile, text).page;
  if (page === null) return null;
  const pictures = [];
  for (const { arquivo, texto } of page.imagens ?? []) {
    const bytes = await readPlainFile(path.join(folder, arquivo), limits.shopPictureBytesMax);
    const picture = bytes.length > limits.shopPictureBytesMax ? null : pictureOf(bytes);
    if (picture !== null) pictures.push({ file: arquivo, text: texto, width: picture.width, height: picture.height });
  }
  return { documentation: page.documentacao ?? null, pictures };
}
