/** The row `packages` of `svc doctor`: what was installed from other files than its source holds now under the same version. */
import type { DoctorCheck } from '../../schema/gateway.ts';
import { sourceChanged, sourceChangedFix } from '../../schema/texts/source-changed.ts';
import type { TextLanguage, Words } from '../../schema/texts/reasons.ts';

interface Package {
  readonly key: string;
  readonly wanted: { readonly by: 'document' | 'wish' };
  readonly decision: { readonly conditions: readonly { readonly type: string; readonly status: string }[] } | null;
  readonly source: { readonly folder: string } | null;
}

/** So many are named with their fix; `svc why` says it of each. */
const namedMax = 3;

export function packagesCheck(packages: Iterable<Package>): DoctorCheck {
  const changed = [...packages].flatMap(({ key, wanted, decision, source }) => {
    const isStale = decision?.conditions.some(({ type, status }) => type === 'Stale' && status === 'True') === true;
    return isStale && source !== null ? [{ key, folder: source.folder, isWish: wanted.by === 'wish' }] : [];
  });
  if (changed.length === 0) {
    const detail = { pt: 'nenhum difere da sua origem na mesma versão', en: 'none differs from its source of the same version' };
    return { name: 'packages', ok: true, warning: false, detail, fix: null };
  }
  const named = changed.slice(0, namedMax);
  const others = changed.length - named.length;
  const words = (of: (one: (typeof changed)[number], language: TextLanguage) => string, more: Words): Words => {
    const said = (language: TextLanguage): string =>
      [...new Set(named.map((one) => of(one, language))), ...(others === 0 ? [] : [more[language]])].join('; ');
    return { pt: said('pt'), en: said('en') };
  };
  return {
    name: 'packages',
    ok: false,
    warning: true,
    detail: words(({ key, folder }, language) => `${key}: ${sourceChanged(folder)[language]}`, {
      pt: `e mais ${others}`,
      en: `and ${others} more`,
    }),
    fix: words(({ folder, isWish }, language) => sourceChangedFix(folder, isWish)[language], {
      pt: 'svc why Package/NOME',
      en: 'svc why Package/NAME',
    }),
  };
}
