/**
 * A field for a comment in which @ proposes people. Only people in the room can be notified (rules 6): others are shown, and why they can't
 * be chosen. A combobox with a list, as the ARIA practices describe it.
 */
import { el } from './dom.ts';
import { isMentioned } from './mentions.ts';
import { svc, type Pessoa } from './portal.ts';
import { say } from './texts.ts';

export interface MentionField {
  readonly node: HTMLElement;
  readonly input: HTMLTextAreaElement;
  /** Chosen, and still in what is written. */
  mentioned(): readonly string[];
  clear(): void;
}

interface Proposal {
  readonly person: Pessoa;
  readonly inside: boolean;
}

const quietMs = 200;
const shownMax = 6;
let fields = 0;

/** Proposes the people in the room first, then others by the portal's search. */
async function proposalsFor(word: string, inRoom: readonly Pessoa[]): Promise<readonly Proposal[]> {
  const wanted = word.toLocaleLowerCase();
  const matches = ({ nome, login }: Pessoa): boolean => [nome, login].some((name) => name.toLocaleLowerCase().includes(wanted));
  const others = word === '' ? [] : ((await svc?.pessoas.buscar(word).catch(() => null))?.pessoas ?? []);
  const here = new Set(inRoom.map(({ usuario }) => usuario));
  return [
    ...inRoom.filter(matches).map((person) => ({ person, inside: true })),
    ...others.filter(({ usuario }) => !here.has(usuario)).map((person) => ({ person, inside: false })),
  ].slice(0, shownMax);
}

/** The list below a field. */
function createList(input: HTMLTextAreaElement, id: string, chosen: (person: Pessoa) => void) {
  const list = el('ul', { id, className: 'mencoes', hidden: true, aria: { role: 'listbox', label: say('mencoes') } });
  let shown: readonly Proposal[] = [];
  let active = 0;
  const choose = (index: number): void => {
    const one = shown[index];
    if (one?.inside) chosen(one.person);
  };
  const option = ({ person, inside }: Proposal, index: number): HTMLElement =>
    el(
      'li',
      {
        id: `${id}-${index}`,
        aria: { role: 'option', selected: String(index === active), disabled: String(!inside) },
        // The field keeps the focus.
        on: { mousedown: (event) => event.preventDefault(), click: () => choose(index) },
      },
      el('span', {}, person.nome),
      el('small', {}, inside ? person.login : say('foraDaSala')),
    );
  const draw = (): void => {
    list.hidden = shown.length === 0;
    input.setAttribute('aria-expanded', String(shown.length > 0));
    if (shown.length === 0) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', `${id}-${active}`);
    list.replaceChildren(...shown.map(option));
  };
  return {
    node: list,
    show: (proposals: readonly Proposal[]): void => {
      shown = proposals;
      active = 0;
      draw();
    },
    /** True when the key was meant for the list. */
    key: (key: string): boolean => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[key];
      if (shown.length === 0) return false;
      if (step !== undefined) {
        active = (active + step + shown.length) % shown.length;
        draw();
      } else if (key === 'Enter' || key === 'Tab') choose(active);
      else return false;
      return true;
    },
    get open() {
      return shown.length > 0;
    },
  };
}

export function mentionField(label: string, people: () => readonly Pessoa[], submit: () => void): MentionField {
  const id = `mencoes-${(fields += 1)}`;
  const chosen = new Map<string, string>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const input = el('textarea', {
    className: 'svc-campo',
    rows: 2,
    maxLength: 4_000,
    placeholder: say('comentarioDica'),
    aria: { label, role: 'combobox', autocomplete: 'list', expanded: 'false', controls: id },
  });
  /** The word after the last @ before the cursor; null when the cursor is not in such a word. */
  const typed = (): string | null => /(?:^|\s)@([\p{L}\p{N}._-]*)$/u.exec(input.value.slice(0, input.selectionStart))?.[1] ?? null;
  const close = (): void => {
    clearTimeout(timer);
    list.show([]);
  };
  const list = createList(input, id, ({ usuario, login }) => {
    const word = typed();
    if (word === null) return;
    const end = input.selectionStart;
    input.setRangeText(`@${login} `, end - word.length - 1, end, 'end');
    chosen.set(usuario, login);
    close();
  });
  const ask = async (word: string): Promise<void> => {
    const found = await proposalsFor(word, people());
    if (typed() === word && document.activeElement === input) list.show(found);
  };

  input.addEventListener('input', () => {
    clearTimeout(timer);
    const word = typed();
    if (word === null) close();
    else timer = setTimeout(() => void ask(word), quietMs);
  });
  input.addEventListener('blur', close);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) submit();
    else if (event.key === 'Escape' && list.open) close();
    else if (!list.key(event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  });
  return {
    node: el('div', { className: 'campo-mencao' }, input, list.node),
    input,
    mentioned: () => [...chosen].filter(([, login]) => isMentioned(input.value, login)).map(([usuario]) => usuario),
    clear: () => {
      input.value = '';
      chosen.clear();
      close();
    },
  };
}
