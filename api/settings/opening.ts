/**
 * Reads which files and links an app opens and what it adds to context menus, from its manifest on the disk: the app may be stopped. The installer
 * checks a minimum of a manifest (rules 1), so invalid entries are left out here, item by item. Source: rules 2.1 `opens`, 2.2, 2.5.
 * Decisions: docs/decisions/0222-what-opens-what.md, 0223-context-menus.md, 0224-links.md
 */
import { limits } from '../../schema/limits.ts';
import { contrastWithWhite } from '../../schema/manifest/contrast.ts';
import type { Manifest } from '../../schema/manifest/manifest.ts';
import { menuOf } from '../../schema/manifest/menu.ts';
import { neverMatches } from '../../schema/manifest/never-matches.ts';
import { patterns } from '../../schema/manifest/patterns.ts';
import { isPublicSuffix } from '../../schema/manifest/public-suffix.ts';
import { unshownIn } from '../../schema/manifest/shown-text.ts';
import { characters } from '../../schema/positions/node.ts';
import type { AppSettings } from '../../schema/wire/settings.ts';

type Opening = Pick<AppSettings, 'hosts' | 'tipos' | 'midias' | 'proprios' | 'menu'>;

export const nothingOpened: Opening = { hosts: [], tipos: [], midias: [], proprios: [], menu: [] };

const hostPattern = /^(?:\*\.)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const extension = new RegExp(patterns.extension);
const mimeType = new RegExp(patterns.mediaType);
const ownExtension = /^\.?[a-z0-9][a-z0-9+_-]{0,15}$/;
const ownIcon = /^[A-Za-z0-9][A-Za-z0-9/._-]*\.(svg|png|jpe?g)$/;
const badge = /^[A-Z0-9]{1,5}$/;

const bare = (name: string): string => name.replace(/^\./, '').toLowerCase();
/** A wildcard over a public suffix would claim the links of strangers. Source: rules 2.1 `opens.urls`. */
const isOpenable = (host: string): boolean =>
  neverMatches('urls', host) === null && !(host.startsWith('*.') && isPublicSuffix(host.slice(2)));

export function openingOf(manifest: Manifest): Opening {
  const { opens } = manifest;
  const pede = opens?.default === true;
  const extensions = [
    ...new Set(
      texts(opens?.extensions, extension)
        .filter((each) => neverMatches('extensions', each) === null)
        .map(bare),
    ),
  ];
  return {
    hosts: [...new Set(texts(opens?.urls, hostPattern).map((host) => host.toLowerCase()))].filter(isOpenable),
    tipos: extensions.map((extensao) => ({ extensao, pede })),
    midias: [
      ...new Set(
        texts(opens?.mimeTypes, mimeType)
          .filter((each) => neverMatches('mimeTypes', each) === null)
          .map((tipo) => tipo.toLowerCase()),
      ),
    ].map((tipo) => ({ tipo, pede })),
    proprios: ownTypes(manifest, extensions),
    menu: menuOf(manifest).items.map(({ id, superficie, rotulo, ordem = limits.menuOrderDefault, quando, rota }) => ({
      id,
      superficie,
      rotulo,
      ordem,
      extensoes: quando?.extensoes?.map(bare) ?? null,
      rota: rota ?? null,
    })),
  };
}

function ownTypes({ id, version, opens }: Manifest, extensions: readonly string[]): Opening['proprios'] {
  const declared: unknown = opens?.proprios;
  const seen = new Set<string>();
  return (Array.isArray(declared) ? declared.slice(0, limits.ownFileTypesMax) : []).flatMap((each: unknown) => {
    const own = ownType(each);
    if (own === null || !extensions.includes(own.extensao) || seen.has(own.extensao)) return [];
    seen.add(own.extensao);
    const icone =
      own.icone === null
        ? null
        : `/api/apps/${id}/icone-do-tipo?extensao=${encodeURIComponent(own.extensao)}&v=${encodeURIComponent(version)}`;
    return [{ ...own, icone }];
  });
}

/** Null: not as the specification says. Without an icon of its own it has that of the app; `icone` is a path in the package here. */
function ownType(value: unknown): Opening['proprios'][number] | null {
  if (typeof value !== 'object' || value === null) return null;
  const { extensao, nome, cor, icone, selo } = value as Readonly<Record<string, unknown>>;
  if (typeof extensao !== 'string' || !ownExtension.test(extensao)) return null;
  if (typeof nome !== 'string' || nome === '' || characters(nome) > limits.ownFileTypeNameCharsMax || unshownIn(nome) !== null) return null;
  if (typeof cor !== 'string' || (contrastWithWhite(cor) ?? 0) < limits.badgeContrastMin) return null;
  return {
    extensao: bare(extensao),
    nome,
    cor: cor.toLowerCase(),
    selo: typeof selo === 'string' && badge.test(selo) ? selo : null,
    icone: typeof icone === 'string' && ownIcon.test(icone) && !icone.split('/').includes('..') ? icone : null,
  };
}

/** The path in the package of the icon of an own type; null: it declares none. */
export function typeIconOf({ opens }: Manifest, extensao: string): string | null {
  const declared: unknown = opens?.proprios;
  const own = (Array.isArray(declared) ? declared : []).map(ownType).find((each) => each?.extensao === extensao);
  return own?.icone ?? null;
}

export const texts = (values: unknown, pattern: RegExp): readonly string[] =>
  Array.isArray(values) ? [...new Set(values.filter((each): each is string => typeof each === 'string' && pattern.test(each)))] : [];
