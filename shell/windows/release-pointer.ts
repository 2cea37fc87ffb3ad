const hiddenMs = 100;

const nextDrawing = (): Promise<number> => new Promise((resolve) => requestAnimationFrame(resolve));

/**
 * A page may hold the pointer (Pointer Lock): a press would reach the page, and nothing of the desktop over it. No other document may end that, but a
 * browser does when it draws without the frame: on a busy machine that comes late.
 */
export async function releasePointer(iframe: HTMLIFrameElement | null | undefined): Promise<void> {
  if (iframe == null) return;
  // On the desktop's own origin (`origins: path`) hiding the frame does not end the lock.
  iframe.contentDocument?.exitPointerLock();
  iframe.style.visibility = 'hidden';
  await nextDrawing();
  await nextDrawing();
  setTimeout(() => iframe.style.removeProperty('visibility'), hiddenMs);
}
