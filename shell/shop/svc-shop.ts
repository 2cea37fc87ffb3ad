/** The shop: browse, installed, one app's page and, for admins, the panel; live by the events of the portal. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import '../../sdk/web/ui/empty.ts';
import '../../sdk/web/ui/tabs.ts';
import type { ShopApp } from '../../schema/wire/shop.ts';
import { attempt } from '../windows/attempt.ts';
import type { ShopDesk } from './context.ts';
import { unsavedTitles } from '../windows/unsaved.ts';
import { language, listed, text, type TextKey } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { deepActive } from '../../sdk/web/ui/deep-active.ts';
import './admin-panel.ts';
import { appPage } from './app-page.ts';
import type { ShopContext } from './context.ts';
import { shopContentStyles } from './content-styles.ts';
import { copyWords } from './copy.ts';
import { browseList, installedList } from './lists.ts';
import { updatesIn, type ShopPage } from './model.ts';
import { shopStyles } from './styles.ts';
import { sayProblem } from './words.ts';

/** An open window looks more often than the badge does. */
const refreshMs = 15_000;
const copiedMs = 2_000;

type Tab = 'browse' | 'installed' | 'admin';
const tabTexts: Readonly<Record<Tab, TextKey>> = { browse: 'store.browse', installed: 'store.installedTab', admin: 'store.adminTab' };

export class SvcShop extends LitElement {
  static override properties = {
    desk: { attribute: false },
    query: { state: true },
    category: { state: true },
    removing: { state: true },
    mark: { state: true },
  };
  declare desk: ShopDesk;
  declare query: string;
  declare category: string | null;
  /** The app whose removal waits for a word. */
  declare removing: ShopApp | null;
  /** The button whose text was copied just now. */
  declare mark: string | null;
  #watch = new Watch(this, () => {
    const { state, page, refusal, busy } = this.desk.shop;
    return [state, page, refusal, busy, this.desk.apps.state, this.desk.settings.state, language];
  });
  #timer: ReturnType<typeof setInterval> | undefined;
  /** Extensions that installed apps suggest are told with what Settings shows. */
  #end: () => void = () => {};
  /** The list that a page goes back to, and the page that was drawn last. */
  #from: Tab = 'browse';
  #drawn: ShopPage | null = null;
  /** The app whose buttons had the keyboard last: they change under the finger. */
  #acted: string | null = null;

  constructor() {
    super();
    this.query = '';
    this.category = null;
    this.removing = null;
    this.mark = null;
  }

  static override styles = [base, shopStyles, shopContentStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.desk.shop.refresh();
    this.#end = this.desk.settings.watch();
    this.#timer = setInterval(() => document.visibilityState === 'visible' && this.desk.shop.refresh(), refreshMs);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#timer);
    this.#end();
  }

  readonly #context: ShopContext = (() => {
    const desk = (): ShopDesk => this.desk;
    return {
      get desk() {
        return desk();
      },
      show: (id) => this.desk.shop.page.set({ kind: 'app', id }),
      remove: (app) => (this.removing = app),
      copied: (mark) => this.mark === mark,
      copy: (mark, words) => attempt(this.desk, () => this.#copy(mark, words)),
    };
  })();

  async #copy(mark: string, words: string): Promise<void> {
    await copyWords(words);
    this.mark = mark;
    setTimeout(() => (this.mark = null), copiedMs);
  }

  get #tabs(): readonly Tab[] {
    return this.desk.session.admin ? ['browse', 'installed', 'admin'] : ['browse', 'installed'];
  }

  #go(tab: Tab): void {
    this.desk.shop.refusal.set(null);
    this.desk.shop.page.set({ kind: tab });
    this.desk.shop.refresh();
  }

  override updated(): void {
    this.#followPage();
    this.#keepKeyboard();
  }

  /** A page takes the keyboard to its heading; going back gives it to the app it came from. */
  #followPage(): void {
    const page = this.desk.shop.page.get();
    const before = this.#drawn;
    if (page === before) return;
    this.#drawn = page;
    this.renderRoot.querySelector('.content')?.scrollTo(0, 0);
    if (before === null) return;
    if (page.kind === 'app') this.renderRoot.querySelector<HTMLElement>('.page h3')?.focus();
    else if (before.kind === 'app') this.renderRoot.querySelector<HTMLElement>(`[data-app="${before.id}"] .name`)?.focus();
  }

  #keepKeyboard(): void {
    if (this.#acted === null) return;
    const active = deepActive();
    // A person who moved to another page stays there.
    if ((active !== null && active !== document.body) || this.desk.windows.top()?.app !== '@loja') return;
    this.renderRoot.querySelector<HTMLElement>(`[data-actions="${this.#acted}"] ui-button`)?.focus();
  }

  #followActed(event: FocusEvent): void {
    const target = event.target instanceof HTMLElement ? event.target : null;
    if (target?.closest('ui-dialog') != null) return;
    this.#acted = target?.closest<HTMLElement>('[data-actions]')?.dataset['actions'] ?? null;
  }

  override render(): TemplateResult {
    const { state, page, refusal } = this.desk.shop;
    const { apps, loaded, error, problem } = state.get();
    const now = page.get();
    // A page belongs to one of the lists; the panel has none.
    if (now.kind !== 'app') this.#from = now.kind === 'admin' ? 'browse' : now.kind;
    const shown = now.kind === 'app' ? this.#from : now.kind;
    const trouble =
      refusal.get() === null
        ? error === null
          ? null
          : text('store.loadError', { erro: error })
        : text('store.refused', { erro: refusal.get() ?? '' });
    return html`<ui-tabs
        label=${text('store.tabs')}
        .value=${shown}
        @change=${(event: CustomEvent<{ readonly value: Tab }>) => this.#changed(event)}
        @focusin=${(event: FocusEvent) => this.#followActed(event)}
      >
        ${this.#tabs.map((tab) => this.#tab(tab, shown))}
        <ui-tab-panel class="content" name=${shown}>
          ${
            trouble === null
              ? nothing
              : html`<p class="note" role="alert">
                  ${glyph('warning')}<span>${trouble}</span>
                  <ui-button icon variant="quiet" label=${text('dialog.close')} @click=${() => refusal.set(null)}>
                    ${glyph('close')}
                  </ui-button>
                </p>`
          }
          ${problem === null ? nothing : html`<p class="note">${glyph('warning')}<span>${sayProblem(apps)}</span></p>`}
          ${loaded ? this.#content(now, apps) : error === null ? html`<ui-empty role="status">${text('store.loading')}</ui-empty>` : nothing}
        </ui-tab-panel>
      </ui-tabs>
      ${this.#dialog()}`;
  }

  /** The fields in the panel tell of their changes, too. */
  #changed({ detail, target, currentTarget }: CustomEvent<{ readonly value: Tab }>): void {
    if (target === currentTarget) this.#go(detail.value);
  }

  /** A press on the tab that is shown goes back from the page of an app to the list. */
  #tab(tab: Tab, shown: Tab): TemplateResult {
    const updates = tab === 'installed' ? updatesIn(this.desk.shop.state.get()) : 0;
    return html`<ui-tab
      panel=${tab}
      aria-label=${updates > 0 ? `${text(tabTexts[tab])}, ${text('store.updates', { n: updates })}` : nothing}
      @click=${() => tab === shown && this.#go(tab)}
      >${text(tabTexts[tab])} ${updates > 0 ? html`<span slot="end" class="number-badge">${updates}</span>` : nothing}</ui-tab
    >`;
  }

  #content(page: ShopPage, apps: readonly ShopApp[]): TemplateResult {
    if (page.kind === 'browse') {
      const { query, category } = this;
      const browsing = {
        query,
        category,
        search: (next: string) => void (this.query = next),
        choose: (next: string | null) => void (this.category = next),
      };
      return browseList(apps, browsing, this.#context, this.desk.shop.state.get().problem === null);
    }
    if (page.kind === 'installed') return installedList(apps, this.#context);
    if (page.kind !== 'app') return html`<svc-shop-admin .desk=${this.desk}></svc-shop-admin>`;
    const app = apps.find(({ id }) => id === page.id);
    const back = (): void => this.#go(this.#from);
    if (app !== undefined) return appPage(app, this.#context, back);
    return html`<ui-empty role="status">
      ${text('store.gone')}
      <ui-button slot="actions" @click=${back}>${glyph('back')}${text('store.back')}</ui-button>
    </ui-empty>`;
  }

  #dialog(): TemplateResult | typeof nothing {
    const app = this.removing;
    if (app === null) return nothing;
    const decide = (remove: boolean): void => {
      this.removing = null;
      if (!remove) return;
      // Its windows would show an app that is no more.
      for (const { id } of this.desk.windows.ofApp(app.id)) this.desk.discard(id);
      void this.desk.shop.remove(app.id);
    };
    const values = { nome: app.name };
    const lost = unsavedTitles(this.desk, app.id);
    return html`<ui-dialog open alert label=${text('store.removeTitle', values)} @close=${() => decide(false)}>
      <p>${text('store.removeBody', values)}</p>
      ${lost.length === 0 ? nothing : html`<p><strong>${text('unsaved.lost', { nomes: listed(lost) })}</strong></p>`}
      <ui-button slot="actions" autofocus @click=${() => decide(false)}>${text('store.keep')}</ui-button>
      <ui-button slot="actions" variant="danger" data-action="confirm-remove" @click=${() => decide(true)}>
        ${glyph('trash')}${text('store.remove')}
      </ui-button>
    </ui-dialog>`;
  }
}

customElements.define('svc-shop', SvcShop);
