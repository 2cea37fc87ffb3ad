/** Every text that the kit brings itself, in the languages of the shell. */

const pt = {
  close: 'Fechar',
  dismiss: 'Dispensar',
  notices: 'Avisos',
  notice: 'Aviso que acabou de chegar',
  busy: 'Aguarde',
  choose: 'Escolha…',
  showPassword: 'Mostrar senha',
  hidePassword: 'Esconder senha',
  selectAll: 'Selecionar tudo',
  selectRow: 'Selecionar: {row}',
  sizes: 'Tamanho das partes',
  allTabs: 'Todas as abas',
  moved: 'Aba {tab}: lugar {n} de {total}',
  loading: 'Carregando',
  dona: 'Dona da sala',
  editar: 'Edita',
  comentar: 'Comenta',
  ver: 'Vê',
  valueMissing: 'Preencha este campo.',
  choiceMissing: 'Escolha uma opção.',
  checkMissing: 'Marque esta caixa para continuar.',
  email: 'Escreva um endereço de e-mail, como ana@exemplo.com.',
  url: 'Escreva um endereço, como https://exemplo.com.',
  patternMismatch: 'Não está no formato pedido.',
  tooShort: 'Escreva ao menos {n} caracteres.',
  tooLong: 'Escreva no máximo {n} caracteres.',
  rangeUnderflow: 'O menor valor é {n}.',
  rangeOverflow: 'O maior valor é {n}.',
  stepMismatch: 'Este valor não é permitido; mude de {n} em {n}.',
  badInput: 'Isto não é um valor válido.',
};

export type WordKey = keyof typeof pt;

const en: Readonly<Record<WordKey, string>> = {
  close: 'Close',
  dismiss: 'Dismiss',
  notices: 'Notices',
  notice: 'Notice that just came',
  busy: 'Please wait',
  choose: 'Choose…',
  showPassword: 'Show password',
  hidePassword: 'Hide password',
  selectAll: 'Select all',
  selectRow: 'Select: {row}',
  sizes: 'Size of the parts',
  allTabs: 'All tabs',
  moved: 'Tab {tab}: place {n} of {total}',
  loading: 'Loading',
  dona: 'Room owner',
  editar: 'Edits',
  comentar: 'Comments',
  ver: 'Views',
  valueMissing: 'Fill in this field.',
  choiceMissing: 'Choose an option.',
  checkMissing: 'Tick this box to go on.',
  email: 'Enter an e-mail address, like ana@example.com.',
  url: 'Enter an address, like https://example.com.',
  patternMismatch: 'This is not in the requested format.',
  tooShort: 'Enter at least {n} characters.',
  tooLong: 'Enter at most {n} characters.',
  rangeUnderflow: 'The smallest value is {n}.',
  rangeOverflow: 'The largest value is {n}.',
  stepMismatch: 'This value is not allowed; go in steps of {n}.',
  badInput: 'This is not a valid value.',
};

/** The nearest `lang`, also over the edge of a shadow tree; without one that of the shell, then that of the browser. */
function languageOf(element: Element): string {
  for (let at: Element | undefined = element; at !== undefined;) {
    const said: HTMLElement | null = at.closest<HTMLElement>('[lang]:not([lang=""])');
    if (said !== null) return said.lang;
    const root: Node = at.getRootNode();
    at = root instanceof ShadowRoot ? root.host : undefined;
  }
  return document.documentElement.dataset['svcIdioma'] ?? navigator.language;
}

/** Portuguese where the page is in Portuguese, else English. */
export function word(element: Element, key: WordKey, values: Readonly<Record<string, string | number>> = {}): string {
  const template = (/^pt\b/i.test(languageOf(element)) ? pt : en)[key];
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}

const listeners = new Set<() => void>();
let watching: MutationObserver | undefined;

/** Calls when the language of the page changes, until the returned function is called. */
export function onLanguage(changed: () => void): () => void {
  watching ??= new MutationObserver(() => {
    for (const listener of listeners) listener();
  });
  if (listeners.size === 0) watching.observe(document.documentElement, { attributeFilter: ['lang', 'data-svc-idioma'] });
  listeners.add(changed);
  return () => {
    listeners.delete(changed);
    if (listeners.size === 0) watching?.disconnect();
  };
}
