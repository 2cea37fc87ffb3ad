/** Tab goes round among the controls of a question: what is behind it can't be used. */
export function keepTab(event: KeyboardEvent, root: ParentNode): void {
  if (event.key !== 'Tab') return;
  const stops = [...root.querySelectorAll<HTMLElement>('ui-button, ui-field')];
  const edge = event.shiftKey ? stops[0] : stops.at(-1);
  if (edge?.matches(':focus') !== true) return;
  event.preventDefault();
  (event.shiftKey ? stops.at(-1) : stops[0])?.focus();
}
