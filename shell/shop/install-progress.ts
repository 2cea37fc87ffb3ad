/** Where an installation is: the step, and of a file that is being loaded bytes and time. The bar says it to readers. */
import { html, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/progress.ts';
import type { ShopApp, ShopInstall } from '../../schema/wire/shop.ts';
import { text } from '../i18n/i18n.ts';
import { installSteps, sayProgress } from './words.ts';

export function installProgress(app: ShopApp, install: ShopInstall): TemplateResult {
  const { step, bytes } = sayProgress(install);
  const { progress } = install;
  const label = text('store.progressOf', { nome: app.name });
  const at = progress === null ? -1 : (installSteps as readonly string[]).indexOf(progress.step);
  const known = progress !== null && progress.bytes !== null && progress.total !== null && progress.total > 0;
  return html`<div class="progress" data-step=${progress?.step ?? 'waiting'}>
    <ui-progress hide-label label=${label} .max=${progress?.total ?? 1} .value=${known ? progress.bytes : null}></ui-progress>
    <span class="step"
      >${at === -1 ? nothing : html`<span class="count">${text('store.stepOf', { n: at + 1, total: installSteps.length })} · </span>`}${step}</span
    >
    ${bytes === '' ? nothing : html`<span class="amount">${bytes}</span>`}
  </div>`;
}
