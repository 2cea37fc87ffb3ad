/** The question of consent, as the attacks on it see it. Its scripts run in the page of hostile-apps.ts. */
import type { Locator } from 'playwright-core';
import { consentOf } from '../support/browser.ts';
import type { Cell } from './attack.ts';

/** A message of the shell to the page: an answer of a port, or the first message on the port of a call. */
export interface Reply {
  readonly ok?: boolean;
  readonly valor?: unknown;
  readonly cabeca?: { readonly status: number };
}

declare const perguntar: (verbo: string) => Promise<Reply>;

export const question = ({ page }: Cell): Locator => consentOf(page);
export const allow = (cell: Cell): Locator => question(cell).getByRole('button', { name: 'Permitir', exact: true });

/** A page that took the keyboard again and again was taken out of its window. */
async function reopened({ page, aim }: Cell): Promise<void> {
  const reopen = page.getByRole('button', { name: 'Abrir de novo' });
  if ((await reopen.count()) === 0) return;
  await page.keyboard.press('Escape');
  await reopen.click();
  await page.frameLocator('iframe[title="Hostil"]').locator('#agir').waitFor();
  await page.waitForFunction((own) => document.readyState === 'complete' && own !== '', aim.own);
}

/** The page of the attacker anew, nothing kept of what it was allowed, and no question. */
export async function afresh(cell: Cell): Promise<void> {
  const { page, aim } = cell;
  await reopened(cell);
  const { hostile } = cell;
  await hostile.goto(aim.own);
  // Says hello: what the page before had under way ends with it.
  await hostile.evaluate(async () => void (await perguntar('window.maximize')));
  await page.evaluate(async () => {
    for (const left of document.querySelectorAll('body > [popover], body > dialog')) left.remove();
    const { consentimentos } = (await (await fetch('/api/consentimentos')).json()) as {
      readonly consentimentos: readonly { readonly id: string; readonly de: string }[];
    };
    for (const { id, de } of consentimentos) if (de === 'hostil') await fetch(`/api/consentimentos/${id}`, { method: 'DELETE' });
  });
  await question(cell).waitFor({ state: 'detached' });
}

/** Whether the attacker has the consent, or the answer that needs it. */
export async function isGranted({ page, aim }: Cell): Promise<boolean> {
  const kept = await page.evaluate(async () => await (await fetch('/api/consentimentos')).text());
  const hostile = page.frames().find((each) => each.url().startsWith(aim.own));
  const answered = (await hostile?.evaluate(() => Reflect.get(globalThis, 'respondido') !== undefined)) ?? false;
  return answered || (JSON.parse(kept) as { consentimentos: { de: string; resposta: string }[] }).consentimentos.some(isYes);
}
const isYes = ({ de, resposta }: { readonly de: string; readonly resposta: string }): boolean => de === 'hostil' && resposta === 'sim';
