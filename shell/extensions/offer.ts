/** The browser extension that an app suggests: what it is called, why the app asks for it, and where each browser installs it. Nothing is installed by itself. */
import { html, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import type { AppSettings } from '../../schema/wire/settings.ts';
import { text } from '../i18n/i18n.ts';

type Offer = NonNullable<AppSettings['extensao']>;
const names: Readonly<Record<Offer['navegadores'][number]['navegador'], string>> = {
  chrome: 'Chrome',
  edge: 'Edge',
  firefox: 'Firefox',
  opera: 'Opera',
  safari: 'Safari',
};

/** In the words of the app, after its name. */
export const extensionReason = ({ nome }: Pick<AppSettings, 'nome'>, { razao }: Offer): string =>
  razao === null ? text('extension.of', { app: nome }) : text('extension.why', { app: nome, razao });

export function extensionLinks({ nome, navegadores }: Offer): TemplateResult[] {
  return navegadores
    .filter(({ endereco }) => endereco.startsWith('https://'))
    .map(
      ({ navegador, endereco }) =>
        html`<ui-button href=${endereco} target="_blank" label=${text('extension.get', { nome, navegador: names[navegador] })}
          >${names[navegador]}</ui-button
        > `,
    );
}
