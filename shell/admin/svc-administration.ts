/** Administration: people, apps, servers and the checks of the portal, for administrators. Decision: docs/decisions/0448-administration-in-the-desktop.md */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/tabs.ts';
import type { OwnDraftBody, OwnFileAnswer } from '../../schema/wire/own-file.ts';
import { language, text, type TextKey } from '../i18n/i18n.ts';
import { readOwnFile } from '../session/admin-api.ts';
import { sayError } from '../session/say-error.ts';
import type { ShopDesk } from '../shop/context.ts';
import { shopStyles } from '../shop/styles.ts';
import { Polled } from '../state/polled.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import './change-dialog.ts';
import './checks-panel.ts';
import './servers-panel.ts';
import { SvcAdminApps } from './apps-panel.ts';
import type { Begun } from './changes.ts';
import { SvcAdminPeople } from './people-panel.ts';

const tabs = {
  people: 'admin.people',
  apps: 'admin.apps',
  servers: 'admin.servers',
  checks: 'admin.checks',
} as const satisfies Record<string, TextKey>;
type Tab = keyof typeof tabs;

/** The file is another one when somebody edits it by hand. */
const refreshMs = 30_000;

export class SvcAdministration extends LitElement {
  static override properties = { desk: { attribute: false }, tab: { state: true }, begun: { state: true } };
  declare desk: ShopDesk;
  declare tab: Tab;
  /** The change whose dialog is open. */
  declare begun: Begun | null;
  #watch = new Watch(this, () => [language]);
  #own = new Polled(this, refreshMs, readOwnFile);

  constructor() {
    super();
    this.tab = 'people';
    this.begun = null;
  }

  static override styles = [
    base,
    shopStyles,
    css`
      .hint {
        padding-bottom: 12px;
        color: var(--muted);
        font-size: 13px;
      }
    `,
  ];

  override firstUpdated(): void {
    void this.#watch;
    this.addEventListener('begin-change', (event) => (this.begun = (event as CustomEvent<Begun>).detail));
  }

  async #written({ act, kind, name }: OwnDraftBody): Promise<void> {
    this.begun = null;
    const words = text(act === 'remove' ? 'admin.removed' : 'admin.written', { nome: name });
    this.desk.announcement.set(words);
    this.desk.toast.set({ words, open: null });
    await this.#own.ask();
    if (act === 'remove') this.#panelElement?.focusStart();
    const people = this.renderRoot.querySelector<SvcAdminPeople>('svc-admin-people');
    if (kind === 'Person') await people?.follow(name, act === 'put');
  }

  get #panelElement(): SvcAdminPeople | SvcAdminApps | null {
    return this.renderRoot.querySelector<SvcAdminPeople | SvcAdminApps>('svc-admin-people, svc-admin-apps');
  }

  override render(): TemplateResult {
    const own = this.#own.value;
    return html`<ui-tabs
        label=${text('admin.title')}
        .value=${this.tab}
        @change=${(event: CustomEvent<{ readonly value: Tab }>) => this.#changed(event)}
      >
        ${Object.entries(tabs).map(([name, key]) => html`<ui-tab panel=${name}>${text(key)}</ui-tab>`)}
        <ui-tab-panel class="content" name=${this.tab}>${this.#lead(own)} ${this.#panel(own)}</ui-tab-panel>
      </ui-tabs>
      ${
        this.begun === null || own === null
          ? nothing
          : html`<svc-admin-change
              .desk=${this.desk}
              .own=${own}
              .begun=${this.begun}
              @close=${() => (this.begun = null)}
              @written=${(event: CustomEvent<OwnDraftBody>) => void this.#written(event.detail)}
            ></svc-admin-change>`
      } `;
  }

  /** Says what can be changed here, or why nothing can. */
  #lead(own: OwnFileAnswer | null): TemplateResult | typeof nothing {
    if (this.tab !== 'people' && this.tab !== 'apps') return nothing;
    const { problem } = this.#own;
    const note = (words: string): TemplateResult => html`<p class="note" role="status">${glyph('warning')}<span>${words}</span></p>`;
    if (problem !== null) return note(sayError(problem));
    if (own === null) return nothing;
    if (own.managed !== null) return note(text(`admin.managed.${own.managed.why}`, { lugar: own.managed.place }));
    return html`<p class="hint">${text('admin.desiredHint', { arquivo: own.file })}</p>`;
  }

  #panel(own: OwnFileAnswer | null): TemplateResult {
    if (this.tab === 'apps') return html`<svc-admin-apps .own=${own}></svc-admin-apps>`;
    if (this.tab === 'servers') return html`<svc-admin-servers></svc-admin-servers>`;
    if (this.tab === 'checks') return html`<svc-admin-checks></svc-admin-checks>`;
    return html`<svc-admin-people .desk=${this.desk} .own=${own}></svc-admin-people>`;
  }

  /** The fields in the panel tell of their changes, too. */
  #changed({ detail, target, currentTarget }: CustomEvent<{ readonly value: Tab }>): void {
    if (target === currentTarget) this.tab = detail.value;
  }
}

customElements.define('svc-administration', SvcAdministration);
