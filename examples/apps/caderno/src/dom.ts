/** Builds elements; text is always text, never markup. */
type Child = Node | string | null;
type Properties<E> = Partial<Omit<E, 'dataset' | 'style'>> & {
  readonly dataset?: Readonly<Record<string, string>>;
  readonly aria?: Readonly<Record<string, string>>;
  readonly on?: { readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void };
};

export function el<T extends keyof HTMLElementTagNameMap>(
  tag: T,
  { dataset = {}, aria = {}, on = {}, ...properties }: Properties<HTMLElementTagNameMap[T]> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[T] {
  const node = document.createElement(tag);
  Object.assign(node, properties);
  Object.assign(node.dataset, dataset);
  for (const [name, value] of Object.entries(aria)) node.setAttribute(name === 'role' ? name : `aria-${name}`, value);
  for (const [name, handler] of Object.entries(on)) node.addEventListener(name, handler as EventListener);
  node.append(...children.filter((child) => child !== null));
  return node;
}

/** An element of index.html; it is there or the page is broken. */
// The caller knows what index.html holds.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function byId<E extends HTMLElement = HTMLElement>(id: string): E {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`index.html has no #${id}`);
  return found as E;
}
