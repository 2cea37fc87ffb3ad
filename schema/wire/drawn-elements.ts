/**
 * How much work a drawing (SVG) is, for those who read one: the portal from its text, the desktop from its DOM.
 * Decision: docs/decisions/0355-drawings-that-do-not-end.md
 */

/**
 * Answers how many elements are drawn for one, itself and each use of another one counted. `partsOf`: its children and what it uses; what is not
 * there is passed over. The answer throws RangeError where that goes on deeper than there is stack.
 */
export function countDrawn<Element>(partsOf: (element: Element) => Iterable<Element | null | undefined>): (element: Element) => number {
  const known = new Map<Element, number>();
  const count = (element: Element): number => {
    const before = known.get(element);
    if (before !== undefined) return before;
    // Browsers draw nothing that uses itself.
    known.set(element, 0);
    let sum = 1;
    for (const part of partsOf(element)) if (part != null) sum += count(part);
    known.set(element, sum);
    return sum;
  };
  return count;
}

/** The id that a reference names, which may be escaped as in an address. */
export function idNamed(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
