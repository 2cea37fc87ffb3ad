/** A person, in the colour that they have everywhere, and their role in a room. Source: rules 2.4 */
import { css, html, nothing, type TemplateResult } from 'lit';
import { corDe, type Papel } from '../../../schema/rooms.ts';
import { define, KitElement, kitStyles } from './element.ts';

const initialsOf = (name: string): string => {
  const words = name.trim().split(/\s+/u);
  const ends = words.length > 1 ? [words[0], words.at(-1)] : [words[0]];
  return ends
    .map((each) => Array.from(each ?? '')[0] ?? '')
    .join('')
    .toUpperCase();
};

class UiPerson extends KitElement implements SvcUiPerson {
  static override properties = {
    usuario: {},
    name: {},
    initials: {},
    detail: {},
    avatar: { type: Boolean, reflect: true },
    size: { reflect: true },
  };
  usuario = '';
  name = '';
  initials = '';
  detail = '';
  avatar = false;
  size: 'small' | 'medium' | 'large' = 'medium';

  static override styles = [
    kitStyles,
    css`
      :host {
        --ui-person-size: 2.125rem;
        display: inline-flex;
        align-items: center;
        gap: calc(2 * var(--svc-passo));
        max-width: 100%;
        vertical-align: middle;
      }
      :host([size='small']) {
        --ui-person-size: 1.625rem;
      }
      :host([size='large']) {
        --ui-person-size: 3rem;
      }
      .mark {
        display: grid;
        flex: none;
        place-items: center;
        width: var(--ui-person-size);
        height: var(--ui-person-size);
        border: 2px solid var(--ui-person-colour);
        border-radius: 50%;
        background: color-mix(in srgb, var(--ui-person-colour) 18%, var(--svc-superficie));
        color: var(--svc-texto);
        font-size: calc(var(--ui-person-size) * 0.36);
        font-weight: 600;
        line-height: 1;
      }
      .words {
        min-width: 0;
        overflow-wrap: anywhere;
      }
      small {
        display: block;
        color: var(--svc-texto-fraco);
      }
      @media (forced-colors: active) {
        .mark {
          border-color: CanvasText;
        }
      }
    `,
  ];

  override willUpdate(): void {
    // By the style object: a policy of the page may refuse the attribute.
    this.style.setProperty('--ui-person-colour', corDe(this.usuario || this.name));
  }

  override render(): TemplateResult {
    const name = this.name || this.usuario;
    const initials = this.initials || initialsOf(name);
    if (this.avatar) return html`<span class="mark" part="avatar" role="img" aria-label=${name}>${initials}</span>`;
    return html`<span class="mark" part="avatar" aria-hidden="true">${initials}</span>
      <span class="words">${name}${this.detail === '' ? nothing : html`<small>${this.detail}</small>`}</span>`;
  }
}

class UiRole extends KitElement implements SvcUiRole {
  static override properties = { papel: { reflect: true } };
  papel: Papel = 'ver';
  static override styles = [
    kitStyles,
    css`
      :host {
        display: inline-block;
        max-width: 100%;
        padding: 0 calc(2.5 * var(--svc-passo));
        border: 1px solid var(--svc-borda-campo);
        border-radius: 2rem;
        background: var(--svc-superficie-alta);
        font-size: 0.8125em;
        line-height: 1.7;
        overflow-wrap: anywhere;
      }
      :host([papel='dona']) {
        border-color: transparent;
        background: var(--svc-acento);
        color: var(--svc-sobre-acento);
      }
      :host([papel='editar']) {
        border-color: var(--svc-acento);
        background: var(--svc-selecao);
      }
    `,
  ];
  override render(): TemplateResult {
    const known = ['dona', 'editar', 'comentar', 'ver'].includes(this.papel);
    return html`${known ? this.word(this.papel) : this.papel}`;
  }
}

define('ui-person', UiPerson);
define('ui-role', UiRole);
