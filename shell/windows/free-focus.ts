/** Content that becomes ready after its window was opened. */
import { deepActive } from '../../sdk/web/ui/deep-active.ts';

/** The keyboard is at nothing, or at the window in front as a whole: what became ready in that window takes it, and takes it from nobody. */
export function isFocusFree(content: Element): boolean {
  const root = content.getRootNode();
  const window = root instanceof ShadowRoot ? root.host : null;
  const active = deepActive();
  // A window as a whole has the focus in a part that is right below its root.
  return window !== null && window.hasAttribute('top') && (active === null || active === document.body || active.parentNode === root);
}
