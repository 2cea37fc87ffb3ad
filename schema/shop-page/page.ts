/**
 * `loja.json` of a package: what the shop shows of the app beside its manifest, which is closed. An author writes it, publishing takes it along, and an
 * svc that knows nothing of it is not disturbed. Decision: docs/decisions/0451-pages-of-the-shop.md
 */
import { compileShape } from '../compile-shape.ts';
import type { FileReport, Problem } from '../findings.ts';
import { judgeJson } from '../judged-json.ts';
import { limits } from '../limits.ts';
import { unshownIn } from '../manifest/shown-text.ts';
import { clip } from '../positions/node.ts';
import type { Shape } from '../shape.ts';
import { type Wire, fields, pattern } from '../static.ts';

const documentacao = {
  ...pattern('^https://[^\\s]+$', 'an https address'),
  format: 'uri',
  maxLength: limits.extensionAddressCharsMax,
} as const;
const picture = fields(
  {
    /** Its path in the package. */
    arquivo: pattern(
      '^(?!/)(?!(?:.*/)?\\.{1,2}(?:/|$))[^\\\\]{1,240}\\.(?:[pP][nN][gG]|[jJ][pP][eE]?[gG])$',
      'the path of a .png or .jpg in the package',
    ),
    /** Read out in place of the picture. */
    texto: { type: 'string', minLength: 1, maxLength: limits.shopPictureTextCharsMax },
  },
  ['arquivo', 'texto'],
);
export const shopPageSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:svc:schema:shop-page:v1',
  title: 'the page of an app in the shop',
  ...fields({ documentacao, imagens: { type: 'array', items: picture, maxItems: limits.shopPicturesMax } as const }),
} as const;
export type ShopPageSource = Wire<typeof shopPageSchema>;

let shape: Shape | undefined;

/** Judges one. `page` is null exactly when there are errors. `imageProblem`: why the file of a picture is none that the shop shows; null: it is one. */
export function readShopPage(
  file: string,
  bytes: Uint8Array | string,
  imageProblem: (name: string) => { readonly code: Problem['code']; readonly message: string } | null = () => null,
): FileReport & { readonly text: string; readonly page: ShopPageSource | null } {
  const { report, text, value } = judgeJson<ShopPageSource>(file, bytes, {
    bytesMax: limits.shopPageBytesMax,
    shape: (shape ??= compileShape(shopPageSchema)),
    judge: ({ imagens = [] }, tell) => {
      for (const [index, { arquivo, texto }] of imagens.entries()) {
        const unshown = unshownIn(texto);
        if (unshown !== null) tell('CONTROL_CHARACTER', ['imagens', index, 'texto'], `"${clip(texto)}" is shown to people: ${unshown}`);
        const wrong = imageProblem(arquivo);
        if (wrong !== null) tell(wrong.code, ['imagens', index, 'arquivo'], wrong.message);
      }
    },
  });
  return { ...report, text, page: value };
}
