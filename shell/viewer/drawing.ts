/**
 * How much work a drawing (SVG) is. The browser draws it in the process of the desktop, which stands still meanwhile: 1.4 kB in which each group uses the
 * one before ten times are ten million elements, and no end. Decision: docs/decisions/0355-drawings-that-do-not-end.md
 */
import { limits } from './limits.ts';

/** The drawing as it was judged, to be given to the browser in place of the file; null: it is none, or too much work. */
export function judgedDrawing(bytes: Uint8Array): string | null {
  const drawing = new DOMParser().parseFromString(new TextDecoder().decode(bytes), 'image/svg+xml');
  if (drawing.querySelector('parsererror') !== null || drawing.documentElement.localName !== 'svg') return null;
  try {
    return workOf(drawing) > limits.drawnElementsMax ? null : new XMLSerializer().serializeToString(drawing);
  } catch (error) {
    // References that go on deeper than there is stack.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

/** Elements that are drawn, each use of one counted, over the elements that draw it. */
function workOf(drawing: Document): number {
  const byStyle = [...drawing.querySelectorAll('style')].flatMap(({ textContent }) => idsIn(textContent));
  const known = new Map<Element, number>();
  const work = (element: Element): number => {
    const before = known.get(element);
    if (before !== undefined) return before;
    // Browsers draw nothing that uses itself.
    known.set(element, 0);
    const used = usesOf(element).map((id) => drawing.getElementById(id));
    const sum = [...element.children, ...used].reduce((all, each) => all + (each === null ? 0 : work(each)), 1);
    known.set(element, sum);
    return sum;
  };
  const all = work(drawing.documentElement);
  // A rule of a style may hold for each of them.
  const ruled = byStyle.reduce((sum, id) => sum + (known.get(drawing.getElementById(id) ?? drawing.documentElement) ?? 1), 0);
  return all + (ruled > limits.drawnByRuleMax ? all * ruled : 0);
}

function usesOf(element: Element): readonly string[] {
  return [...element.attributes].flatMap(({ localName, value }) =>
    localName === 'href' && value.trimStart().startsWith('#') ? [decoded(value.trim().slice(1))] : idsIn(value),
  );
}

function idsIn(text: string): readonly string[] {
  return [...text.matchAll(/url\(\s*["']?#([^"')\s]+)/g)].map(([, id = '']) => decoded(id));
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}
