/**
 * How much work a drawing (SVG) is. The browser draws it in the process of the desktop, which stands still meanwhile: 1.4 kB in which each group uses the
 * one before ten times are ten million elements, and no end. Decision: docs/decisions/0355-drawings-that-do-not-end.md
 */
import { countDrawn, idNamed } from '../../schema/wire/drawn-elements.ts';
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
  const work = countDrawn<Element>((element) => [...element.children, ...usesOf(element).map((id) => drawing.getElementById(id))]);
  const all = work(drawing.documentElement);
  // A rule of a style may hold for each of them.
  const ruled = byStyle.reduce((sum, id) => sum + work(drawing.getElementById(id) ?? drawing.documentElement), 0);
  return all + (ruled > limits.drawnByRuleMax ? all * ruled : 0);
}

function usesOf(element: Element): readonly string[] {
  return [...element.attributes].flatMap(({ localName, value }) =>
    localName === 'href' && value.trimStart().startsWith('#') ? [idNamed(value.trim().slice(1))] : idsIn(value),
  );
}

function idsIn(text: string): readonly string[] {
  return [...text.matchAll(/url\(\s*["']?#([^"')\s]+)/g)].map(([, id = '']) => idNamed(id));
}
