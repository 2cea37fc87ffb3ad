/** `loja.json` of a package, with the pictures that it names: judged, and made ready to be published. */
import { posix } from 'node:path';
import type { FileReport } from '../../../schema/findings.ts';
import { limits } from '../../../schema/limits.ts';
import { clip } from '../../../schema/positions/node.ts';
import { readShopPage } from '../../../schema/shop-page/page.ts';
import { type Picture, pictureOf } from '../layout/picture.ts';

export interface PackedShopPage {
  readonly documentation: string | null;
  readonly pictures: readonly (Picture & { readonly bytes: Uint8Array; readonly text: string })[];
}

/** At most a byte more than `bytesMax`; null: the package has no such file. */
type Read = (name: string, bytesMax: number) => Promise<Uint8Array | null>;

/** `shownAs` is how findings name the file. `page` is null exactly when there are errors. */
export async function judgeShopPage(
  shownAs: string,
  source: Uint8Array,
  read: Read,
): Promise<FileReport & { readonly text: string; readonly page: PackedShopPage | null }> {
  const files = new Map<string, Uint8Array | null>();
  for (const { arquivo } of readShopPage(shownAs, source).page?.imagens ?? [])
    files.set(arquivo, await read(posix.normalize(arquivo), limits.shopPictureBytesMax));
  const judged = readShopPage(shownAs, source, (name) => {
    const bytes = files.get(name) ?? null;
    if (bytes === null) return { code: 'FILE_MISSING', message: `"${clip(name)}" is not in the package` };
    if (bytes.length > limits.shopPictureBytesMax)
      return { code: 'FILE_TOO_LARGE', message: `"${clip(name)}" is larger than ${limits.shopPictureBytesMax} bytes` };
    if (pictureOf(bytes) !== null) return null;
    return { code: 'FORMAT', message: `"${clip(name)}": expected a PNG or JPEG of at most ${limits.shopPictureSideMax} pixels a side` };
  });
  const pictures = (judged.page?.imagens ?? []).flatMap(({ arquivo, texto: text }) => {
    const bytes = files.get(arquivo) ?? null;
    const picture = bytes === null ? null : pictureOf(bytes);
    return bytes === null || picture === null ? [] : [{ ...picture, bytes, text }];
  });
  return { ...judged, page: judged.page && { documentation: judged.page.documentacao ?? null, pictures } };
}
