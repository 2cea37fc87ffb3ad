/** The script of each page of the help: the list of pages on small screens, the contents, the language around the docs, and the search. */
import { keptHere } from '../state/kept.ts';
import { startSearch } from './search-box.ts';

const root = document.documentElement;
/** As wide as help.css needs it for three columns. */
const hasThreeColumns = matchMedia('(min-width: 1200px)');

/** The docs are in English: what is around them is in the language of the desktop. */
function readerLanguage(): 'pt' | 'en' {
  const part = root.dataset['part'];
  if (part === 'pt' || part === 'en') return part;
  const tags = [keptHere.getItem('svc.language') ?? '', ...navigator.languages].map((tag) => tag.slice(0, 2).toLowerCase());
  return tags.find((tag) => tag === 'pt' || tag === 'en') === 'pt' ? 'pt' : 'en';
}

function translateAround(): void {
  for (const element of document.querySelectorAll<HTMLElement>('[data-pt]')) {
    element.textContent = element.dataset['pt']!;
    element.lang = 'pt-BR';
  }
  for (const element of document.querySelectorAll<HTMLElement>('[data-pt-label]')) {
    const label = element.dataset['ptLabel']!;
    element.setAttribute('aria-label', label);
    if (element instanceof HTMLInputElement) element.placeholder = label;
  }
}

function startPages(): void {
  const [button, pages] = [document.querySelector<HTMLElement>('#pages-button')!, document.querySelector<HTMLElement>('#pages')!];
  const open = (isOpen: boolean): void => {
    pages.toggleAttribute('data-open', isOpen);
    button.setAttribute('aria-expanded', String(isOpen));
  };
  button.addEventListener('click', () => open(!pages.hasAttribute('data-open')));
  addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !pages.hasAttribute('data-open')) return;
    open(false);
    button.focus();
  });
  const current = pages.querySelector<HTMLElement>('[aria-current]');
  if (current !== null && pages.scrollHeight > pages.clientHeight) pages.scrollTop = current.offsetTop - pages.clientHeight / 3;
}

function startContents(): void {
  const contents = document.querySelector<HTMLDetailsElement>('.contents details');
  if (contents === null) return;
  const fit = (): void => {
    contents.open = hasThreeColumns.matches;
  };
  hasThreeColumns.addEventListener('change', fit);
  fit();
}

/** Tables and code that are wider than the page are scrolled by the arrows, too. */
function startWideParts(): void {
  const observer = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute('tabindex', '0');
      else target.removeAttribute('tabindex');
    }
  });
  for (const part of document.querySelectorAll('.wide')) observer.observe(part);
}

const language = readerLanguage();
if (root.dataset['part'] === 'docs' && language === 'pt') translateAround();
// The portal knows the language of the browser alone.
for (const link of document.querySelectorAll<HTMLAnchorElement>('a[href="/ajuda/"]')) link.href = `/ajuda/${language}/`;
startPages();
startContents();
startWideParts();
startSearch(language, root.dataset['part'] === 'docs');
