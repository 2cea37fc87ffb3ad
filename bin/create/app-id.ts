/** Judges a name that a person typed as the id of an app: why it is none, and the nearest one that is. */
import { isAppId } from '../../schema/app-id.ts';
import { limits } from '../../schema/limits.ts';
import type { Words } from '../../schema/texts/reasons.ts';

/** Null when it is an id. Source: rules 2.1 `id`, docs/decisions/0190-one-bound-for-an-app-id.md */
export function idFault(text: string): Words | null {
  if (isAppId(text)) return null;
  const max = limits.appIdCharsMax;
  return {
    pt: `um id tem letras minúsculas sem acento, algarismos e "-", no máximo ${max}, sem "-" no começo ou no fim e sem "xn--" no começo`,
    en: `an id has lowercase letters without accents, digits and "-", at most ${max}, no "-" first or last and no "xn--" first`,
  };
}

/** '' when nothing of the text can stay. */
export function nearestId(text: string): string {
  const id = text
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-*(?:xn-+)*/, '')
    .slice(0, limits.appIdCharsMax)
    .replaceAll(/^-|-$/g, '');
  return isAppId(id) ? id : '';
}

/** `minhas-notas` as people read it: `Minhas notas`. */
export function nameOf(id: string): string {
  const words = id.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
