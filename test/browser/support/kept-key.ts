import type { Page } from 'playwright-core';
import { until } from '../../support/portal.ts';

/** Waits until the key of the session is in the storage of the shell, with its ticket; the database alone is made earlier. */
export const keyIsKept = async (page: Page): Promise<void> =>
  // Not `waitForFunction`: it takes the promise of an async function for true, and waits no more.
  void (await until('the key of the session is kept', async () => await page.evaluate(isKept)));

/** Runs in the page. */
async function isKept(): Promise<boolean> {
  if (!(await indexedDB.databases()).some(({ name }) => name === 'svc.sessao')) return false;
  return await new Promise<boolean>((done) => {
    const opening = indexedDB.open('svc.sessao');
    opening.addEventListener('error', () => done(false));
    opening.addEventListener('success', () => {
      const db = opening.result;
      const tell = (found: boolean): void => {
        db.close();
        done(found);
      };
      if (!db.objectStoreNames.contains('chave')) return tell(false);
      const asked = db.transaction('chave').objectStore('chave').get('chave');
      asked.addEventListener('success', () => tell(asked.result !== undefined));
    });
  });
}
