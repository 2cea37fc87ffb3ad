/** Preferences, what apps add to Settings, and what apps may use of each other. */
import * as capabilities from '../wire/capabilities.ts';
import * as http from '../wire/http.ts';
import * as preferences from '../wire/preferences.ts';
import * as settings from '../wire/settings.ts';
import * as shop from '../wire/shop.ts';
import { nothing, type Routes, typed } from './route.ts';

export const settingsRoutes = {
  'POST /api/apps/:id/loader': {
    access: 'person',
    says: 'The loader of an engine failed: a line in the log of the app',
    params: http.appParams,
    body: http.loaderFailureBody,
    answer: nothing,
    status: 204,
  },
  'GET /api/apps/:id/loader.js': {
    access: 'person',
    says: 'The script of an engine that the shell loads',
    params: http.appParams,
    query: shop.iconQuery,
    gives: 'text/javascript',
    more: '`engine.loader` ([0205](decisions/0205-engines-in-the-environment.md)); 403: not trusted, 503 `APP_NOT_RUNNING`',
  },
  'GET /api/apps/:id/secao.js': {
    access: 'person',
    says: 'The script of an app for Settings',
    params: http.appParams,
    query: shop.iconQuery,
    gives: 'text/javascript',
    more: '`contributes.settings`; 403: not trusted',
  },
  'GET /api/configuracoes': {
    access: 'person',
    says: 'Additions of apps to Settings',
    answer: settings.settingsAnswer,
    more: '`hosts`, `tipos`, `midias`, `proprios`: [0222](decisions/0222-what-opens-what.md); `menu`: [0223](decisions/0223-context-menus.md); `secao`: [0204](decisions/0204-scripts-in-the-shell.md); `extensao`: [0206](decisions/0206-extension-catalogue.md)',
  },
  'GET /api/consentimentos': {
    access: 'person',
    says: 'My consents',
    answer: capabilities.consentsAnswer,
    more: 'the newest first; `resposta`: `sim`, `nao`, or `pendente` (a backend waits); names null: not installed',
  },
  'PUT /api/consentimentos': {
    access: 'person',
    says: 'Let an app use a capability of another, or not',
    body: capabilities.consentBody,
    answer: capabilities.consentAnswer,
    more: '`duracao: sempre` keeps `sim` or `nao` under `id`; `uma-vez`, for `sim`, keeps nothing: `uso` is good for one call within 60 s. `nao` ends calls under way',
  },
  'DELETE /api/consentimentos/:id': {
    access: 'person',
    says: 'Take it back: calls under way end',
    params: capabilities.consentParams,
    body: http.noBody,
    answer: nothing,
    status: 204,
  },
  'GET /api/preferencias': {
    access: 'person',
    says: 'My preferences',
    answer: preferences.preferencesAnswer,
    more: '`ETag`; an absent field is not chosen ([0202](decisions/0202-preferences.md))',
  },
  'PATCH /api/preferencias': {
    access: 'person',
    says: 'Change some of it (JSON merge patch)',
    body: typed<preferences.PreferencesPatch>(preferences.preferencesPatch),
    answer: preferences.preferencesAnswer,
    more: '`application/json` or `application/merge-patch+json`, with `If-Match`; answers all, with `ETag`; 412 `PREFERENCES_CHANGED`',
  },
} as const satisfies Routes;
