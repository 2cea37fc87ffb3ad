/** Administration: people, servers and the checks of the portal, for administrators. Decision: docs/decisions/0448-administration-in-the-desktop.md */
import { css, html, LitElement, type TemplateResult } from 'lit';
import '../../sdk/web/ui/tabs.ts';
import { language, text, type TextKey } from '../i18n/i18n.ts';
import { shopStyles } from '../shop/styles.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import type { Shell } from '../windows/shell.ts';
import './checks-panel.ts';
import './people-panel.ts';
import './servers-panel.ts';

const tabs = { people: 'admin.people', servers: 'admin.servers', checks: 'admin.checks' } as const satisfies Record<string, TextKey>;
type Tab = keyof typeof tabs;

export class SvcAdministration extends LitElement {
  static override properties = { desk: { attribute: false }, tab: { state: true } };
  declare desk: Shell;
  declare tab: Tab;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.tab = 'people';
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
  }

  override render(): TemplateResult {
    return html`<ui-tabs
      label=${text('admin.title')}
      .value=${this.tab}
      @change=${(event: CustomEvent<{ readonly value: Tab }>) => this.#changed(event)}
    >
      ${Object.entries(tabs).map(([name, key]) => html`<ui-tab panel=${name}>${text(key)}</ui-tab>`)}
      <ui-tab-panel class="content" name=${this.tab}>
        <p class="hint">${text('admin.desiredHint')}</p>
        ${this.#panel()}
      </ui-tab-panel>
    </ui-tabs>`;
  }

  #panel(): TemplateResult {
    if (this.tab === 'servers') return html`<svc-admin-servers></svc-admin-servers>`;
    if (this.tab === 'checks') return html`<svc-admin-checks></svc-admin-checks>`;
    return html`<svc-admin-people .desk=${this.desk}></svc-admin-people>`;
  }

  /** The fields in the panel tell of their changes, too. */
  #changed({ detail, target, currentTarget }: CustomEvent<{ readonly value: Tab }>): void {
    if (target === currentTarget) this.tab = detail.value;
  }
}

customElements.define('svc-administration', SvcAdministration);
