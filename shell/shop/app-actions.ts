/** Buttons for the acts on an app of the shop: the most wanted one on its card, all of them on its page. */
import { html, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import type { ShopApp } from '../../schema/wire/shop.ts';
import { text } from '../i18n/i18n.ts';
import { glyph, type Glyph } from '../ui/glyphs.ts';
import type { ShopContext } from './context.ts';

interface Action {
  readonly name: string;
  readonly glyph: Glyph;
  readonly words: string;
  /** For a screen reader, which meets the button without the card around it. */
  readonly label: string;
  readonly primary: boolean;
  run(): void;
}

function possibleActions(app: ShopApp, context: ShopContext): readonly Action[] {
  const { shop, apps } = context.desk;
  const values = { nome: app.name, versao: app.versions[0]?.version ?? '' };
  const all: Readonly<Record<ShopApp['actions'][number], Action>> = {
    install: {
      name: 'install',
      glyph: 'download',
      words: text('store.install'),
      label: text('store.installApp', values),
      primary: true,
      run: () => void shop.install(app.id),
    },
    update: {
      name: 'update',
      glyph: 'update',
      words: text('store.update'),
      label: text('store.updateApp', values),
      primary: true,
      run: () => void shop.install(app.id),
    },
    retry: {
      name: 'retry',
      glyph: 'reload',
      words: text('store.retry'),
      label: text('store.retryApp', values),
      primary: true,
      run: () => void (app.install?.wanted == null ? shop.remove(app.id) : shop.install(app.id, app.install.wanted)),
    },
    cancel: {
      name: 'cancel',
      glyph: 'close',
      words: text('store.cancel'),
      label: text('store.cancelApp', values),
      primary: false,
      run: () => void shop.cancel(app.id),
    },
    remove: {
      name: 'remove',
      glyph: 'trash',
      words: text('store.remove'),
      label: text('store.removeApp', values),
      primary: false,
      run: () => context.remove(app),
    },
  };
  const { desk } = context;
  const opens = app.installed !== null && app.type === 'app' && apps.find(app.id) !== undefined;
  const open: Action = {
    name: 'open',
    glyph: 'app',
    words: text('store.open'),
    label: text('store.openApp', values),
    primary: !app.actions.some((name) => all[name].primary),
    run: () => void desk.openApp(app.id),
  };
  const asked = app.actions.map((name) => all[name]);
  const first = asked.filter(({ name }) => name !== 'remove');
  return [...first, ...(opens ? [open] : []), ...asked.filter(({ name }) => name === 'remove')];
}

export function appActions(app: ShopApp, context: ShopContext, where: 'card' | 'page'): TemplateResult | typeof nothing {
  const { busy } = context.desk.shop;
  const waits = busy.get().has(app.id) || (busy.get().has('*') && app.actions.includes('update'));
  const possible = possibleActions(app, context);
  const shown = where === 'page' ? possible : possible.filter(({ name }) => name !== 'remove').slice(0, 1);
  if (shown.length === 0) return nothing;
  // Disabled for the eye and the reader only: a button that is really disabled loses the keyboard.
  return html`<div class="actions" data-actions=${app.id}>
    ${shown.map(
      (action) =>
        html`<ui-button
          variant=${action.primary ? 'primary' : 'plain'}
          ?data-tinted=${action.primary && where !== 'page'}
          data-action=${action.name}
          label=${action.label}
          ?busy=${waits}
          @click=${() => !waits && action.run()}
        >
          ${where === 'page' ? glyph(action.glyph) : nothing}${action.words}
        </ui-button>`,
    )}
  </div>`;
}
