/** Opens a file on the desktop as what shows files does: by what is elected for its type. */
import type { Page } from 'playwright-core';

interface File {
  readonly caminho: string;
  readonly nome: string;
  readonly isFolder?: boolean;
}

interface WithDesk extends Element {
  readonly desk: { openFile(file: File): Promise<void> };
}

export async function openFileOn(page: Page, file: File): Promise<void> {
  await page.evaluate(async (asked) => {
    const desktop = document.querySelector('svc-shell')?.shadowRoot?.querySelector('svc-desktop') as WithDesk | null | undefined;
    if (desktop == null) throw new Error('no desktop');
    await desktop.desk.openFile(asked);
  }, file);
}
