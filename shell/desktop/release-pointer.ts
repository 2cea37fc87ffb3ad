/** Long enough for the browser to draw without the page. */
const hiddenMs = 100;

/**
 * A page may hold the pointer (Pointer Lock): a press would reach the page, and nothing of the desktop over it. No other document may end that, but a
 * browser does when the frame is hidden.
 */
export function releasePointer(iframe: HTMLIFrameElement | null | undefined): void {
  if (iframe == null) return;
  iframe.style.visibility = 'hidden';
  setTimeout(() => iframe.style.removeProperty('visibility'), hiddenMs);
}
