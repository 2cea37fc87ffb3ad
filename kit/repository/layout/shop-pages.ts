/** `v1/loja.json`: what the shop shows of all versions beside their records, made from `v1/loja/<id>/<version>.json`, which say it. */
import { appIdRule } from '../../../schema/app-id.ts';
import { limits } from '../../../schema/limits.ts';
import { shopPageSchema } from '../../../schema/shop-page/page.ts';
import { type Wire, fields, list, oneOf, pattern } from '../../../schema/static.ts';
import { namePatterns } from './paths.ts';
import { pictureTypes } from './picture.ts';
import { readDocument } from './records.ts';

const side = { type: 'integer', minimum: 1, maximum: limits.shopPictureSideMax } as const;
const page = fields(
  {
    id: pattern(namePatterns.id, appIdRule),
    version: pattern(namePatterns.version, 'a version such as 1.4.2'),
    documentacao: shopPageSchema.properties.documentacao,
    imagens: {
      type: 'array',
      maxItems: limits.shopPicturesMax,
      items: fields(
        {
          sha256: pattern('^[0-9a-f]{64}$', '64 lowercase hexadecimal digits'),
          tipo: oneOf(pictureTypes),
          largura: side,
          altura: side,
          texto: shopPageSchema.properties.imagens.items.properties.texto,
        },
        ['sha256', 'tipo', 'largura', 'altura', 'texto'],
      ),
    } as const,
  },
  ['id', 'version', 'imagens'],
);
export type ShopPage = Wire<typeof page>;

const whole = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'urn:svc:schema:shop-pages:v1',
  title: 'pages of the shop',
  ...fields({ formato: { type: 'integer', const: 1 }, paginas: list(page) }, ['formato', 'paginas']),
} as const;

/** By `id version`. Throws REPOSITORY_INVALID or TOO_LARGE. */
export function readShopPages(bytes: Uint8Array): ReadonlyMap<string, ShopPage> {
  const { paginas } = readDocument('loja.json', whole, bytes, limits.shopPagesBytesMax) as Wire<typeof whole>;
  return new Map(paginas.map((one) => [`${one.id} ${one.version}`, one]));
}

export const readVersionPage = (what: string, bytes: Uint8Array): ShopPage =>
  readDocument(what, page, bytes, limits.shopPageBytesMax) as ShopPage;

export function shopPagesText(pages: readonly ShopPage[]): string {
  const sorted = pages.toSorted((a, b) => (`${a.id} ${a.version}` < `${b.id} ${b.version}` ? -1 : 1));
  return `${JSON.stringify({ formato: 1, paginas: sorted }, null, 1)}\n`;
}
