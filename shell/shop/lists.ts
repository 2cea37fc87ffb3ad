/** The two lists of the shop: what there is to browse, and what is installed. */
import { html, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/empty.ts';
import '../../sdk/web/ui/field.ts';
import type { ShopApp } from '../../schema/wire/shop.ts';
import { categoryText, text } from '../i18n/i18n.ts';
import { search, sections, type Entry } from '../ui/search.ts';
import { glyph } from '../ui/glyphs.ts';
import { appCard, appRow } from './app-card.ts';
import type { ShopContext } from './context.ts';

interface ShopEntry extends Entry {
  readonly app: ShopApp;
}

/** An app of the shop for the search of the launcher, which also finds its authors. */
const entryOf = (app: ShopApp): ShopEntry => ({
  key: app.id,
  name: app.name,
  description: `${app.description} ${app.developer} ${app.publisher}`,
  category: app.category,
  app,
});

export interface Browsing {
  readonly query: string;
  /** Null: all of them. */
  readonly category: string | null;
  search(query: string): void;
  choose(category: string | null): void;
}

/** `isKnown`: the repository answered; otherwise its offers are unknown. */
export function browseList(apps: readonly ShopApp[], browsing: Browsing, context: ShopContext, isKnown: boolean): TemplateResult {
  const offered = apps.filter(({ versions }) => versions.length > 0).map(entryOf);
  const { engine: engines = [], app: withWindow = [] } = Object.groupBy(offered, ({ app }) => app.type);
  const all = sections(withWindow, categoryText);
  const category = all.some((section) => section.category === browsing.category) ? browsing.category : null;
  const forYou = category === null ? withWindow.filter(({ app }) => app.forGroup !== null) : [];
  const others =
    forYou.length === 0
      ? all
      : sections(
          withWindow.filter((entry) => !forYou.includes(entry)),
          categoryText,
        );
  const shown = category === null ? others : all.filter((section) => section.category === category);
  const searching = browsing.query.trim() !== '';
  const found = searching
    ? search([...forYou, ...shown.flatMap(({ entries }) => entries), ...(category === null ? engines : [])], browsing.query)
    : [];
  return html`
    <div class="find">
      <ui-field
        type="search"
        label=${text('store.search')}
        hide-label
        placeholder=${text('store.search')}
        autocomplete="off"
        spellcheck="false"
        .value=${browsing.query}
        @input=${(event: Event) => browsing.search((event.target as SvcUiField).value)}
      ></ui-field>
      <div class="categories" role="group" aria-label=${text('store.categories')}>
        ${[null, ...all.map((section) => section.category)].map(
          (name) =>
            html`<ui-button pressed=${name === category} @click=${() => browsing.choose(name)}>
              ${name === null ? text('store.all') : categoryText(name)}
            </ui-button>`,
        )}
      </div>
    </div>
    <p class="sr-only" role="status">${searching ? text('store.found', { n: found.length }) : ''}</p>
    ${offered.length === 0 && isKnown ? html`<ui-empty>${text('store.empty')}</ui-empty>` : nothing}
    ${
      searching
        ? found.length === 0
          ? html`<ui-empty>${text('store.none', { texto: browsing.query })}</ui-empty>`
          : cards(found, context)
        : [
            forYouPart(forYou, context),
            ...shown.map(
              (section) =>
                html`<section aria-label=${categoryText(section.category)}>
                  <h3>${categoryText(section.category)}</h3>
                  ${cards(section.entries, context)}
                </section>`,
            ),
          ]
    }
    ${searching || category !== null || engines.length === 0 ? nothing : enginesPart(engines, context)}
  `;
}

/** Apps of repositories that are for a group of the person. */
const forYouPart = (entries: readonly ShopEntry[], context: ShopContext): TemplateResult | typeof nothing => {
  if (entries.length === 0) return nothing;
  const groups = [...new Set(entries.flatMap(({ app }) => app.forGroup ?? []))];
  return html`<section aria-label=${text('store.forYou')}>
    <h3>${text('store.forYou')}</h3>
    <p class="quiet">${text('store.forGroups', { grupos: groups.join(', ') })}</p>
    ${cards(entries, context)}
  </section>`;
};

/** They have no window: nobody looks for one to open. */
const enginesPart = (engines: readonly ShopEntry[], context: ShopContext): TemplateResult =>
  html`<section aria-label=${text('store.usedByApps')}>
    <h3>${text('store.usedByApps')}</h3>
    ${cards(
      engines.toSorted((a, b) => a.name.localeCompare(b.name)),
      context,
    )}
  </section>`;

const cards = (entries: readonly ShopEntry[], context: ShopContext): TemplateResult =>
  html`<ul class="cards">
    ${repeat(
      entries,
      ({ key }) => key,
      ({ app }) => appCard(app, context),
    )}
  </ul>`;

export function installedList(apps: readonly ShopApp[], context: ShopContext): TemplateResult {
  const { shop } = context.desk;
  const sorted = apps.toSorted((a, b) => a.name.localeCompare(b.name));
  const updates = sorted.filter(({ actions }) => actions.includes('update'));
  const own = sorted.filter((app) => !updates.includes(app) && app.scope !== 'sistema' && (app.installed !== null || app.install !== null));
  const everybodys = sorted.filter(({ scope }) => scope === 'sistema');
  const waits = shop.busy.get().has('*');
  return html`
    ${
      updates.length === 0
        ? nothing
        : html`<section>
            <div class="bar">
              <h3>${text('store.updatesTitle')}</h3>
              <ui-button variant="primary" data-action="update-all" ?busy=${waits} @click=${() => !waits && void shop.updateAll()}>
                ${glyph('update')}${text('store.updateAll')}
              </ui-button>
            </div>
            ${rows(updates, context)}
          </section>`
    }
    <section>
      <h3>${text('store.yours')}</h3>
      ${updates.length + own.length === 0 ? html`<ui-empty>${text('store.noneInstalled')}</ui-empty>` : nothing}
      ${updates.length === 0 && own.length > 0 ? html`<p class="quiet">${text('store.upToDate')}</p>` : nothing} ${rows(own, context)}
    </section>
    ${
      everybodys.length === 0
        ? nothing
        : html`<section>
            <h3>${text('store.everybodys')}</h3>
            ${rows(everybodys, context)}
          </section>`
    }
  `;
}

const rows = (apps: readonly ShopApp[], context: ShopContext): TemplateResult | typeof nothing =>
  apps.length === 0
    ? nothing
    : html`<ul class="rows">
        ${repeat(
          apps,
          ({ id }) => id,
          (app) => appRow(app, context),
        )}
      </ul>`;
