/** The forms of Administration: a person, and an app for all or some servers. */
import { html, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/checkbox.ts';
import '../../sdk/web/ui/field.ts';
import '../../sdk/web/ui/select.ts';
import type { OwnFileAnswer } from '../../schema/wire/own-file.ts';
import type { ShopApp } from '../../schema/wire/shop.ts';
import { text } from '../i18n/i18n.ts';
import type { Written } from './changes.ts';

/** Groups that a hint names. */
const groupsNamedMax = 12;

const groupsField = ({ groups }: OwnFileAnswer, hint: string, value: string): TemplateResult => {
  const named = groups.slice(0, groupsNamedMax).join(', ');
  return html`<ui-field
    name="grupos"
    label=${text('admin.groups')}
    hint=${named === '' ? hint : `${hint} ${text('admin.groupsKnown', { grupos: named })}`}
    value=${value}
    maxlength="4000"
    autocomplete="off"
    spellcheck="false"
  ></ui-field>`;
};

export const personFields = (own: OwnFileAnswer): TemplateResult => html`
  <ui-field name="nome" label=${text('admin.fullName')} required maxlength="200" autocomplete="off"></ui-field>
  <ui-field
    name="login"
    label=${text('admin.login')}
    hint=${text('admin.loginHint')}
    required
    maxlength="128"
    autocomplete="off"
    autocapitalize="off"
    spellcheck="false"
  ></ui-field>
  <ui-select name="server" label=${text('admin.onServer')} required>
    ${own.servers.map((server) => html`<option value=${server}>${server}</option>`)}
  </ui-select>
  <ui-field
    name="account"
    label=${text('admin.account')}
    hint=${text('admin.accountHint')}
    maxlength="64"
    autocomplete="off"
    autocapitalize="off"
    spellcheck="false"
  ></ui-field>
  ${groupsField(own, text('admin.groupsOfPerson'), '')}
`;

export interface AppFields {
  readonly own: OwnFileAnswer;
  /** The document that is changed; null: another one. */
  readonly of: Written | null;
  readonly offered: readonly ShopApp[];
  /** Id of the chosen app. */
  readonly app: string;
  readonly everywhere: boolean;
  readonly choose: (app: string) => void;
  readonly setEverywhere: (everywhere: boolean) => void;
}

export function packageFields({ own, of, offered, app, everywhere, choose, setEverywhere }: AppFields): TemplateResult {
  const versions = offered.find(({ id }) => id === app)?.versions.map(({ version }) => version) ?? [];
  // The version that is written stays a choice where the repository has it no more.
  const all = of?.versao === undefined || versions.includes(of.versao) ? versions : [of.versao, ...versions];
  const on = new Set(of?.servers ?? own.servers.slice(0, 1));
  return html`
    ${
      of === null
        ? html`<ui-select
            name="app"
            label=${text('admin.app')}
            required
            .value=${app}
            @change=${(event: Event) => choose((event.currentTarget as SvcUiSelect).value)}
          >
            ${offered.map(({ id, name }) => html`<option value=${id}>${name === id ? id : `${name} (${id})`}</option>`)}
          </ui-select>`
        : nothing
    }
    <ui-select name="versao" label=${text('admin.version')} required .value=${of?.versao ?? all[0] ?? ''}>
      ${all.map((version) => html`<option value=${version}>${version}</option>`)}
    </ui-select>
    <fieldset>
      <legend>${text('admin.where')}</legend>
      <ui-checkbox
        name="everywhere"
        label=${text('admin.everywhere')}
        ?checked=${everywhere}
        @change=${(event: Event) => setEverywhere((event.currentTarget as SvcUiCheckbox).checked)}
      ></ui-checkbox>
      ${
        everywhere
          ? nothing
          : own.servers.map(
              (server) => html`<ui-checkbox name="servers" value=${server} label=${server} ?checked=${on.has(server)}></ui-checkbox>`,
            )
      }
    </fieldset>
    ${groupsField(own, text('admin.groupsOfApp'), (of?.grupos ?? []).join(', '))}
  `;
}
