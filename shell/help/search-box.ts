/** The search field of the help and the list below it: arrows go through what was found, Enter opens it, Escape closes the list. */
import { createSearch, type Found, type IndexedPage, type Search } from './find.ts';

const words = {
  pt: {
    one: '1 resultado',
    found: (n: number) => `${n} resultados`,
    none: 'Nada encontrado.',
    away: 'A busca não pôde ser carregada. Tente de novo.',
    corrected: (query: string) => `Mostrando o que foi encontrado para “${query}”.`,
    docs: 'em inglês',
  },
  en: {
    one: '1 result',
    found: (n: number) => `${n} results`,
    none: 'Nothing found.',
    away: 'The search could not be loaded. Try again.',
    corrected: (query: string) => `Showing what was found for “${query}”.`,
    docs: 'for administrators and authors',
  },
} as const;

type Language = keyof typeof words;

/** Fetched at the first use only. */
async function load(parts: readonly string[]): Promise<Search> {
  return createSearch(
    await Promise.all(
      parts.map(async (part) => {
        const answer = await fetch(`/ajuda/search-${part}.json`);
        if (!answer.ok) throw new Error(`the search answered ${answer.status}`);
        return (await answer.json()) as readonly IndexedPage[];
      }),
    ),
  );
}

export function startSearch(language: Language, isDocs: boolean): void {
  const [field, results] = [document.querySelector<HTMLInputElement>('#search')!, document.querySelector<HTMLElement>('#results')!];
  const say = words[language];
  let loading: Promise<Search> | null = null;
  const search = (): Promise<Search> => (loading ??= load(isDocs ? ['docs', language] : [language, 'docs']));
  const status = Object.assign(document.createElement('p'), { role: 'status' });
  const list = document.createElement('ol');
  results.lang = language === 'pt' ? 'pt-BR' : 'en';
  results.append(status, list);

  const links = (): readonly HTMLElement[] => [...list.querySelectorAll('a')];
  const show = (text: string, found: readonly Found[]): void => {
    list.replaceChildren(...found.map((each) => itemOf(each, say.docs)));
    list.hidden = found.length === 0;
    results.hidden = text === '';
    status.textContent = text;
  };
  const look = async (): Promise<void> => {
    const query = field.value.trim();
    if (query === '') return show('', []);
    try {
      const { found, corrected } = (await search()).find(query);
      // Another letter was typed meanwhile.
      if (field.value.trim() !== query) return;
      const count = found.length === 1 ? say.one : say.found(found.length);
      show(found.length === 0 ? say.none : corrected === null ? count : `${count}. ${say.corrected(corrected)}`, found);
    } catch {
      loading = null;
      show(say.away, []);
    }
  };
  const move = (event: KeyboardEvent): void => {
    const all = [field, ...links()];
    const at = all.indexOf(document.activeElement as HTMLElement);
    const next = all[at + (event.key === 'ArrowDown' ? 1 : -1)];
    if (at === -1 || next === undefined) return;
    event.preventDefault();
    next.focus();
  };

  const close = ({ target }: Event): void => {
    if (target !== field && !results.contains(target as Node)) results.hidden = true;
  };

  field.addEventListener('focus', () => (results.hidden = status.textContent === ''));
  field.addEventListener('focus', () => void search().catch(() => (loading = null)), { once: true });
  field.addEventListener('input', () => void look());
  field.form!.addEventListener('submit', (event) => {
    event.preventDefault();
    void look().then(() => links()[0]?.click());
  });
  addEventListener('pointerdown', close);
  addEventListener('focusin', close);
  addEventListener('keydown', (event) => {
    const isInside = event.target === field || results.contains(event.target as Node);
    if (isInside && (event.key === 'ArrowDown' || event.key === 'ArrowUp')) return move(event);
    if (isInside && event.key === 'Escape') {
      event.preventDefault();
      field.value = '';
      show('', []);
      return field.focus();
    }
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (!isInside && isPlain && event.key === '/') {
      event.preventDefault();
      field.focus();
    }
  });
  // A link to another place of this page: what was found is in the way.
  list.addEventListener('click', () => setTimeout(() => show('', [])));
}

function itemOf({ href, title, heading, excerpt }: Found, docs: string): HTMLElement {
  const link = Object.assign(document.createElement('a'), { href });
  const name = Object.assign(document.createElement('span'), {
    className: 'name',
    textContent: heading === '' || heading === title ? title : `${title} › ${heading}`,
  });
  const text = Object.assign(document.createElement('span'), { className: 'excerpt' });
  text.append(
    ...excerpt.map((piece, at) => (at % 2 === 0 ? piece : Object.assign(document.createElement('mark'), { textContent: piece }))),
  );
  link.append(name);
  if (href.startsWith('/ajuda/docs/')) {
    link.append(Object.assign(document.createElement('span'), { className: 'which', textContent: docs }));
    name.lang = 'en';
    text.lang = 'en';
  }
  link.append(text);
  const item = document.createElement('li');
  item.append(link);
  return item;
}
