/** The search of the help: through the text of all its pages, which is less than a megabyte, so that nothing but the text is fetched. */
import { closest, distance } from 'fastest-levenshtein';
import { limits } from './limits.ts';

export interface IndexedPage {
  readonly href: string;
  readonly title: string;
  readonly sections: readonly { readonly id: string; readonly heading: string; readonly text: string }[];
}

export interface Found {
  readonly href: string;
  readonly title: string;
  readonly heading: string;
  /** Text around the first word that was found: pieces, of which each second one is such a word. */
  readonly excerpt: readonly string[];
}

interface Prepared {
  readonly page: IndexedPage;
  readonly title: string;
  readonly sections: readonly {
    readonly id: string;
    readonly heading: string;
    readonly text: string;
    readonly folded: string;
    readonly foldedHeading: string;
  }[];
}

export interface Search {
  /** The best first. `corrected`: nothing was found for a word as it was written, and one that is in the pages took its place. */
  find(query: string): { readonly found: readonly Found[]; readonly corrected: string | null };
}

/** Shorter words are too close to many others. */
const correctedLettersMin = 4;
/** Two letters that changed places are two mistakes. */
const twoMistakesLettersMin = 6;
const points = { title: 40, titleStart: 20, top: 20, heading: 25, word: 6, inWord: 2, timesMax: 3, ownPart: 5 };

/** Without case and accents, each letter in its place. */
export const fold = (text: string): string =>
  Array.from(text.normalize('NFC'), (letter) => letter.normalize('NFD')[0]!.toLowerCase()[0]!).join('');

const wordsOf = (folded: string): readonly string[] => folded.match(/[\p{L}\p{N}_-]+/gu) ?? [];

/** Parts of the help; pages of the first are preferred among equals. */
export function createSearch(parts: readonly (readonly IndexedPage[])[]): Search {
  const prepared = parts.map((pages) => pages.map(prepare));
  let vocabulary: readonly string[] | null = null;
  const known = (): readonly string[] => (vocabulary ??= vocabularyOf(prepared.flat()));
  return {
    find: (query) => {
      const terms = [...new Set(wordsOf(fold(query)))];
      const found = findAll(prepared, terms);
      if (terms.length === 0 || found.length > 0) return { found, corrected: null };
      const corrected = terms.map((term) => correct(term, known()));
      const again = findAll(prepared, corrected);
      return { found: again, corrected: again.length === 0 ? null : corrected.join(' ') };
    },
  };
}

function prepare(page: IndexedPage): Prepared {
  return {
    page,
    title: fold(page.title),
    sections: page.sections.map((section) => {
      const text = section.text.normalize('NFC');
      const { id, heading } = section;
      return { id, heading, text, folded: fold(text), foldedHeading: fold(heading) };
    }),
  };
}

function vocabularyOf(pages: readonly Prepared[]): readonly string[] {
  const texts = pages.flatMap(({ title, sections }) => [
    title,
    ...sections.flatMap(({ folded, foldedHeading }) => [folded, foldedHeading]),
  ]);
  return [...new Set(texts.flatMap((text) => wordsOf(text)))].filter((word) => word.length >= correctedLettersMin);
}

function correct(term: string, vocabulary: readonly string[]): string {
  if (term.length < correctedLettersMin || vocabulary.some((word) => word.includes(term))) return term;
  const near = closest(term, vocabulary);
  return distance(term, near) <= (term.length < twoMistakesLettersMin ? 1 : 2) ? near : term;
}

function findAll(parts: readonly (readonly Prepared[])[], terms: readonly string[]): readonly Found[] {
  if (terms.length === 0) return [];
  return parts
    .flatMap((pages, at) => pages.flatMap((page) => inPage(page, terms, at === 0 ? points.ownPart : 0)))
    .toSorted((a, b) => b.points - a.points)
    .slice(0, limits.foundMax)
    .map(({ found }) => found);
}

/** Sections that have every word, in their own text or in the titles above it. `more` points are for each. */
function inPage(
  { page, title, sections }: Prepared,
  terms: readonly string[],
  more: number,
): readonly { readonly points: number; readonly found: Found }[] {
  return sections
    .flatMap((section) => {
      const each = terms.map((term) => pointsOf(term, title, section.foldedHeading, section.folded));
      if (each.includes(0)) return [];
      const href = section.id === '' ? page.href : `${page.href}#${encodeURIComponent(section.id)}`;
      const isTop = section.id === '' && terms.every((term) => title.includes(term));
      const found = { href, title: page.title, heading: section.heading, excerpt: excerptOf(section.text, section.folded, terms) };
      return [{ points: each.reduce((sum, value) => sum + value, more + (isTop ? points.top : 0)), found }];
    })
    .toSorted((a, b) => b.points - a.points)
    .slice(0, limits.foundPerPageMax);
}

function pointsOf(term: string, title: string, heading: string, text: string): number {
  const inTitle = title.includes(term) ? points.title + (title.startsWith(term) ? points.titleStart : 0) : 0;
  const inHeading = startsWord(heading, term) ? points.heading : 0;
  if (startsWord(text, term)) return inTitle + inHeading + points.word + Math.min(points.timesMax, text.split(term).length - 1);
  return inTitle + inHeading + (text.includes(term) ? points.inWord : 0);
}

function startsWord(text: string, term: string): boolean {
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]!)) return true;
  }
  return false;
}

/** Letters of `text` and `folded` are at the same places. */
function excerptOf(text: string, folded: string, terms: readonly string[]): readonly string[] {
  const letters = Array.from(text);
  const places = terms.map((term) => folded.indexOf(term)).filter((at) => at >= 0);
  const first = places.length === 0 ? 0 : Math.min(...places);
  const start = first < limits.excerptChars / 2 ? 0 : folded.indexOf(' ', first - limits.excerptChars / 3) + 1;
  const end = start + limits.excerptChars >= letters.length ? letters.length : folded.lastIndexOf(' ', start + limits.excerptChars);
  const pieces = [start === 0 ? '' : '… '];
  let at = start;
  while (at < end) {
    const next = terms
      .map((term) => ({ from: folded.indexOf(term, at), length: term.length }))
      .filter(({ from }) => from >= 0 && from < end)
      .toSorted((a, b) => a.from - b.from || b.length - a.length)[0];
    if (next === undefined) break;
    pieces[pieces.length - 1] += letters.slice(at, next.from).join('');
    pieces.push(letters.slice(next.from, next.from + next.length).join(''), '');
    at = next.from + next.length;
  }
  pieces[pieces.length - 1] += `${letters.slice(at, Math.max(at, end)).join('')}${end < letters.length ? ' …' : ''}`;
  return pieces;
}
