/**
 * `loja.json` of a package: what the shop shows of the app beside its manifest, which is closed. An author writes it, publishing takes it along, and an
 * svc that knows nothing of it is not disturbed. Decision: docs/decisions/0451-pages-of-the-shop.md
 */
import { compileShape } from '../compile-shape.ts';
import { type FileReport, type Problem, pointer, toReport } from '../findings.ts';
import { limits } from '../limits.ts';
import { unshownIn } from '../manifest/shown-text.ts';
import { decodeText } from '../positions/decode.ts';
import { readJson } from '../positions/json.ts';
import { clip, locate, materialize } from '../positions/node.ts';
import { type Shape, shapeProblems } from '../shape.ts';
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
  const { text, problems } = decodeText(bytes, limits.shopPageBytesMax);
  const { node, problems: syntax } = problems.length > 0 ? { node: null, problems } : readJson(text);
  if (!node) return { ...toReport(file, text, syntax), text, page: null };
  const found: Problem[] = [];
  const page = materialize(node, found) as ShopPageSource;
  found.push(...shapeProblems((shape ??= compileShape(shopPageSchema)), page, node));
  if (found.length === 0)
    for (const [index, { arquivo, texto }] of (page.imagens ?? []).entries()) {
      const report = (field: string, code: Problem['code'], message: string): void => {
        const path = ['imagens', index, field];
        found.push({ code, path: pointer(path), span: locate(node, path.map(String), 'value'), message });
      };
      const unshown = unshownIn(texto);
      if (unshown !== null) report('texto', 'CONTROL_CHARACTER', `"${clip(texto)}" is shown to people: ${unshown}`);
      const wrong = imageProblem(arquivo);
      if (wrong !== null) report('arquivo', wrong.code, wrong.message);
    }
  const judged = toReport(file, text, found);
  return { ...judged, text, page: judged.ok ? page : null };
}
