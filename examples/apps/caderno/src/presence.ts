/** People who are here, as circles with initials: the portal gives names and colours, a person with two windows is one. */
import type { Awareness } from 'y-protocols/awareness';
import { byId, el } from './dom.ts';
import { say } from './texts.ts';

const shownMax = 5;
interface Present {
  readonly name: string;
  readonly initials: string;
  readonly color: string;
}

export function followPresence(presence: Awareness): { draw(): void; end(): void } {
  const draw = (): void => {
    const people = new Map<string, Present>();
    for (const [client, state] of presence.getStates()) {
      const person = client === presence.clientID ? null : presentOf(state);
      if (person !== null) people.set(`${person.name}\0${person.color}`, person);
    }
    const all = [...people.values()].toSorted((a, b) => a.name.localeCompare(b.name));
    const list = byId('presentes');
    list.hidden = all.length === 0;
    list.setAttribute('aria-label', say('presentes'));
    list.replaceChildren(...all.slice(0, shownMax).map(circle), ...(all.length > shownMax ? [more(all.slice(shownMax))] : []));
  };
  presence.on('change', draw);
  draw();
  return {
    draw,
    end: () => {
      presence.off('change', draw);
      byId('presentes').replaceChildren();
      byId('presentes').hidden = true;
    },
  };
}

function presentOf(state: unknown): Present | null {
  const user = (state as { readonly user?: Readonly<Record<string, unknown>> } | null)?.user;
  const [name, color, initials] = [user?.['name'], user?.['color'], user?.['iniciais']];
  if (typeof name !== 'string' || typeof color !== 'string' || !/^#[0-9a-f]{6}$/i.test(color)) return null;
  return { name, color, initials: typeof initials === 'string' ? initials : name.slice(0, 2) };
}

function circle({ name, initials, color }: Present): HTMLElement {
  const mark = el('span', { className: 'circulo', aria: { hidden: 'true' } }, initials);
  mark.style.borderColor = color;
  return el('li', { title: name }, mark, el('span', { className: 'svc-so-leitor' }, name));
}

function more(rest: readonly Present[]): HTMLElement {
  const names = rest.map(({ name }) => name).join(', ');
  return el(
    'li',
    { title: names },
    el('span', { className: 'circulo', aria: { hidden: 'true' } }, `+${rest.length}`),
    el('span', { className: 'svc-so-leitor' }, names),
  );
}
