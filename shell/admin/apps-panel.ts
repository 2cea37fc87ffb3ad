/** Apps that Administration installs, as its file says, and whatever else is in it. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import type { OwnFileAnswer } from '../../schema/wire/own-file.ts';
import { language, shownAs, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { begin, type Written } from './changes.ts';
import { adminPanelStyles } from './styles.ts';

export class SvcAdminApps extends LitElement {
  static override properties = { own: { attribute: false } };
  declare own: OwnFileAnswer | null;
  #watch = new Watch(this, () => [language]);

  static override styles = [base, adminPanelStyles];

  override firstUpdated(): void {
    void this.#watch;
  }

  /** The row that was acted on may be gone. */
  focusStart(): void {
    this.renderRoot.querySelector<HTMLElement>('ui-button')?.focus();
  }

  override render(): TemplateResult {
    const { own } = this;
    const documents = own?.documents ?? [];
    const apps = documents.filter(({ kind }) => kind === 'Package');
    const others = documents.filter(({ kind }) => kind !== 'Package' && kind !== 'Person');
    return html`
      <p class="lines">
        <ui-button ?disabled=${own === null || own.managed !== null} @click=${() => begin(this, { kind: 'app', app: null })}>
          ${text('admin.addApp')}
        </ui-button>
      </p>
      ${own !== null && apps.length === 0 ? html`<p class="quiet">${text('admin.noApps')}</p>` : nothing}
      <ul aria-label=${text('admin.apps')}>
        ${apps.map((app) => this.#row(app))}
      </ul>
      ${
        others.length === 0
          ? nothing
          : html`<h3>${text('admin.otherDocuments', { arquivo: own?.file ?? '' })}</h3>
              <ul>
                ${others.map(
                  ({ kind, name, line }) =>
                    html`<li>
                      <span class="main">${kind}/${name}</span> <span class="quiet">${text('admin.lineOf', { linha: line })}</span>
                    </li>`,
                )}
              </ul>`
      }
    `;
  }

  #row(app: Written): TemplateResult {
    const { name, versao = '', servers = [], everywhere = false, grupos = [] } = app;
    const list = (names: readonly string[]): string => new Intl.ListFormat(shownAs(), { type: 'conjunction' }).format(names);
    const facts = [
      versao,
      everywhere ? text('admin.onAll') : text('admin.on', { servidores: list(servers) }),
      ...(grupos.length === 0 ? [] : [text('admin.forGroups', { grupos: list(grupos) })]),
    ];
    const isOff = this.own?.managed !== null;
    return html`<li data-app=${name}>
      <span class="main"
        ><strong>${app.app ?? name}</strong>
        <p>${facts.join(' · ')}</p></span
      >
      <span class="acts">
        <ui-button label=${text('admin.changeApp', { nome: name })} ?disabled=${isOff} @click=${() => begin(this, { kind: 'app', app })}>
          ${text('admin.change')}
        </ui-button>
        <ui-button
          label=${text('admin.removeOne', { nome: name })}
          ?disabled=${isOff}
          @click=${() => begin(this, { kind: 'remove', of: 'Package', name })}
        >
          ${text('admin.remove')}
        </ui-button>
      </span>
    </li>`;
  }
}

customElements.define('svc-admin-apps', SvcAdminApps);
