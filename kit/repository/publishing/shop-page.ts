/** `loja.json` of a package, with the pictures that it names: judged, and made ready to be published. */
import { posix } from 'node:path';
import type { FileReport, Problem } from '../../../schema/findings.ts';
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
  const judgedFiles = new Map<string, JudgedFile>();
  for (const { arquivo } of readShopPage(shownAs, source).page?.imagens ?? [])
    judgedFiles.set(arquivo, judgeFile(arquivo, await read(posix.normalize(arquivo), limits.shopPictureBytesMax)));
  const judged = readShopPage(shownAs, source, (name) => judgedFiles.get(name)?.problem ?? null);
  const pictures = (judged.page?.imagens ?? []).flatMap(({ arquivo, texto: text }) => {
    const picture = judgedFiles.get(arquivo)?.picture ?? null;
    return picture === null ? [] : [Object.assign({}, picture, { text })];
  });
  return { ...judged, page: judged.page && { documentation: judged.page.documentacao ?? null, pictures } };
}

type JudgedFile =
  | { readonly picture: Picture & { readonly bytes: Uint8Array }; readonly problem: null }
  | { readonly picture: null; readonly problem: { readonly code: Problem['code']; readonly message: string } };

function judgeFile(name: string, bytes: Uint8Array | null): JudgedFile {
  const refused = (code: Problem['code'], why: string): JudgedFile => ({
    picture: null,
    problem: { code, message: `"${clip(name)}"${why}` },
  });
  if (bytes === null) return refused('FILE_MISSING', ' is not in the package');
  if (bytes.length > limits.shopPictureBytesMax) return refused('FILE_TOO_LARGE', ` is larger than ${limits.shopPictureBytesMax} bytes`);
  const picture = pictureOf(bytes);
  return picture === null
    ? refused('FORMAT', `: expected a PNG or JPEG of at most ${limits.shopPictureSideMax} pixels a side`)
    : { picture: { ...picture, bytes }, problem: null };
}
