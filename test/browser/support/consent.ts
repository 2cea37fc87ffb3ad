/** A yes to an app, in its two steps. Decision: docs/decisions/0381-a-yes-is-no-game.md */
import type { Locator, Page } from 'playwright-core';

/** Says yes to it, in both steps. */
export async function allowIn(question: Locator, name: 'Permitir' | 'Só desta vez' | 'Allow' = 'Permitir'): Promise<void> {
  await question.getByRole('button', { name, exact: true }).click();
  await confirmIn(question.page());
}
/** The second step of a yes to an app, wherever it comes up. */
export const confirmIn = async (page: Page): Promise<void> =>
  await page
    .locator('svc-sure')
    .getByRole('button', { name: /^(?:Confirmar|Confirm)$/ })
    .click();
