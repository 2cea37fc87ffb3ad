/** Sentences in the person's language. Templates name their parameters in braces; plurals follow Intl.PluralRules. */
import { createSignal, type Signal } from '../state/signal.ts';
import { en } from './en.ts';
import { pt, type Catalogue, type TextKey } from './pt.ts';

export const languages = ['pt', 'en'] as const;
export type Language = (typeof languages)[number];
export type { TextKey } from './pt.ts';

export const catalogues: { readonly [L in Language]: Catalogue } = { pt, en };
/** Values of the html element's `lang`. */
export const languageTags: { readonly [L in Language]: string } = { pt: 'pt-BR', en: 'en' };
export const languageNames: { readonly [L in Language]: string } = { pt: 'Português', en: 'English' };

/** Dates and numbers as the browser's person writes them: `en-GB` for English where they asked for it. Exported for its test. */
export function formatTag(name: Language, preferred: readonly string[]): string {
  return preferred.find((tag) => tag.toLowerCase().split('-', 1)[0] === name && tag.includes('-')) ?? languageTags[name];
}

export const language: Signal<Language> = createSignal<Language>('pt');

/** The first language of the browser that has a catalogue; English when none has. */
export function chooseLanguage(saved: string | null, preferred: readonly string[]): Language {
  const known = (tag: string): Language | undefined => languages.find((name) => tag.toLowerCase().split('-', 1)[0] === name);
  if (saved !== null && known(saved) !== undefined) return known(saved) ?? 'en';
  return preferred.map(known).find((name) => name !== undefined) ?? 'en';
}

/** For Intl: of dates, numbers and lists. */
export const shownAs = (): string => formatTag(language.get(), navigator.languages);

type Values = Readonly<Record<string, string | number>>;

export function text(key: TextKey, values: Values = {}, name: Language = language.get()): string {
  const entry: string | { readonly one: string; readonly other: string } = catalogues[name][key];
  const template = typeof entry === 'string' ? entry : pluralForm(entry, Number(values['n']), name);
  return template.replaceAll(/\{(\w+)\}/g, (whole, parameter: string) => {
    const value = values[parameter] ?? whole;
    return counts.has(parameter) && typeof value === 'number' ? countText(value, name) : contained(String(value));
  });
}

/**
 * Names that people and apps chose turn no words of the sentence around them: without the characters that order it, and with their own direction kept
 * inside. Source: https://www.w3.org/International/questions/qa-bidi-unicode-controls
 */
function contained(value: string): string {
  const plain = value.replaceAll(/[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[^\P{Cc}\t\n\r]/gu, '');
  return /[\p{sc=Arab}\p{sc=Hebr}\p{sc=Syrc}\p{sc=Thaa}\p{sc=Nkoo}\p{sc=Adlm}]/u.test(plain) ? `\u2068${plain}\u2069` : plain;
}

/** Parameters that are counts; other numbers (codes, lines of a file) stand as they are. */
const counts: ReadonlySet<string> = new Set(['n', 'total', 'todos', 'feitos', 'falharam', 'lugar']);

/** `1.000` in Portuguese, `1,000` in English; small ones, which most are, as they stand. */
export const countText = (n: number, name: Language = language.get()): string =>
  Math.abs(n) < 1_000 ? String(n) : new Intl.NumberFormat(languageTags[name], { maximumFractionDigits: 20 }).format(n);

function pluralForm(entry: { readonly one: string; readonly other: string }, n: number, name: Language): string {
  return new Intl.PluralRules(languageTags[name]).select(n) === 'one' ? entry.one : entry.other;
}

/** A launcher section. Desktop-menu names have a translation; any other category is shown as written. */
export function categoryText(category: string): string {
  const wanted = `category.${category}`.toLowerCase();
  const key = (Object.keys(pt) as TextKey[]).find((name) => name.toLowerCase() === wanted);
  return key === undefined ? category : text(key);
}

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** "in 8 seconds", "há 3 minutos". */
export function relativeTime(atMs: number, nowMs: number): string {
  const distance = atMs - nowMs;
  const [unit, size] = units.find(([, size]) => Math.abs(distance) >= size) ?? ['second', 1_000];
  return new Intl.RelativeTimeFormat(shownAs(), { numeric: 'auto' }).format(Math.round(distance / size), unit);
}

/** Names one after the other, as the language says "and". */
export const listed = (names: readonly string[]): string => new Intl.ListFormat(languageTags[language.get()]).format(names);
