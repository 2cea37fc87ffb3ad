/** Permissions of the windows of each app, as switches of one app. */
import { html, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/checkbox.ts';
import type { AppProjection } from '../../schema/wire/http.ts';
import { text } from '../i18n/i18n.ts';
import { allowing, canPassOn, isAllowed, permissions, permissionsApp, type Permission } from '../preferences/window-permissions.ts';
import { nameAmong } from '../state/app-names.ts';
import { none, oneOfApps } from './choices.ts';
import type { SettingsContext } from './context.ts';

export function windowPermissions(context: SettingsContext): TemplateResult {
  const { desk } = context;
  const apps = desk.apps.state.get().apps.filter(({ type }) => type !== 'engine');
  const app = apps.find(({ id }) => id === permissionsApp.get()) ?? apps[0];
  if (app === undefined) return none(text('permissions.none'));
  const choices = apps.map(({ id, name }) => ({ value: id, label: nameAmong(apps, id, name) }));
  const shown = permissions.filter(({ feature }) => feature === null || canPassOn(app));
  const open = desk.windows.ofApp(app.id);
  return html`<p class="quiet">${text('permissions.lead')}</p>
    ${oneOfApps(text('permissions.app'), 'app', choices, app.id, (id) => permissionsApp.set(id), text('permissions.app'))}
    ${shown.map((permission) => permissionRow(context, app, permission))}
    ${shown.length < permissions.length ? html`<p class="quiet">${text('permissions.onlyTab')}</p>` : nothing}
    ${
      open.length === 0
        ? nothing
        : html`<div class="row" data-key="reload">
            <p class="what">${text('permissions.atReload')}</p>
            <ui-button @click=${() => open.forEach(({ id }) => desk.reload(id))}
              >${text('permissions.reload', { nome: app.name })}</ui-button
            >
          </div>`
    }`;
}

function permissionRow({ desk, chosen, change, busy }: SettingsContext, app: AppProjection, permission: Permission): TemplateResult {
  const { id, label, hint } = permission;
  return html`<div class="row" data-key=${id}>
    <ui-switch
      ?disabled=${busy}
      .checked=${isAllowed(chosen, app.id, permission)}
      @change=${(event: Event) => change(allowing(app.id, permission, (event.currentTarget as SvcUiCheckbox).checked)(desk.preferences.state.get() ?? {}))}
    >
      ${text(label)}
    </ui-switch>
    <p class="quiet">${text(hint)}</p>
  </div>`;
}
