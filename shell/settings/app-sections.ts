/** Sections about apps: who does what by default, what apps may use of each other, which failed, and what they ask for. */
import { html, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import { containmentText } from '../../schema/texts/containment.ts';
import { reasonText } from '../../schema/texts/reasons.ts';
import type { ConsentView } from '../../schema/wire/capabilities.ts';
import type { AppSettings } from '../../schema/wire/settings.ts';
import { extensionLinks, extensionReason } from '../extensions/offer.ts';
import { language, shownAs, text, type TextKey } from '../i18n/i18n.ts';
import { scriptFault } from '../scripts/registry.ts';
import { startApp } from '../session/api.ts';
import { answerConsent, revokeConsent } from '../session/settings-api.ts';
import { nameAmong } from '../state/app-names.ts';
import { none, oneOfApps, row } from './choices.ts';
import type { SettingsContext } from './context.ts';

const nameIn = ({ apps }: SettingsContext['desk'], id: string, name: string): string => nameAmong(apps.state.get().apps, id, name);
const choiceIn =
  (desk: SettingsContext['desk']) =>
  ({ id, nome }: Pick<AppSettings, 'id' | 'nome'>) => ({ value: id, label: nameIn(desk, id, nome) });
/** By each value that apps declare, those apps. */
function byValue(
  apps: readonly AppSettings[],
  values: (app: AppSettings) => readonly string[],
): readonly (readonly [string, readonly AppSettings[]])[] {
  const found = new Map<string, AppSettings[]>();
  for (const app of apps) for (const value of values(app)) found.set(value, [...(found.get(value) ?? []), app]);
  return [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

export function defaults({ desk, state, chosen, change }: SettingsContext): TemplateResult {
  const several = byValue(state.answer?.apps ?? [], ({ oferece }) => oferece).filter(([, providers]) => providers.length > 1);
  if (several.length === 0) return none(text('settings.defaultsNone'));
  return html`<p class="quiet">${text('settings.defaultsLead')}</p>
    ${several.map(([capability, providers]) =>
      oneOfApps(
        text('settings.capability', { capacidade: capability }),
        capability,
        [{ value: '', label: text('settings.askEach') }, ...providers.map(choiceIn(desk))],
        chosen.padroes?.[capability] ?? '',
        (app) => change({ padroes: { [capability]: app === '' ? null : app } }),
      ),
    )}`;
}

export function extensions({ state }: SettingsContext): TemplateResult {
  const offers = (state.answer?.apps ?? []).flatMap((app) => (app.extensao === null ? [] : [{ app, offer: app.extensao }]));
  if (offers.length === 0) return none(text('extension.none'));
  return html`<p class="quiet">${text('extension.lead')}</p>
    <ul>
      ${offers.map(({ app, offer }) => row(app.id, offer.nome, [extensionReason(app, offer)], extensionLinks(offer)))}
    </ul>`;
}

const answers = { sim: 'settings.consentYes', nao: 'settings.consentNo', pendente: 'settings.consentPending' } as const;

export function consents(context: SettingsContext): TemplateResult {
  const { state } = context;
  if (state.consents.length === 0) return none(text('settings.consentsNone'));
  return html`<p class="quiet">${text('settings.consentsLead')}</p>
    <ul>
      ${state.consents.map((consent) => consentRow(context, consent))}
    </ul>`;
}

function consentRow({ act, busy, desk }: SettingsContext, consent: ConsentView): TemplateResult {
  const { id, de, para, capacidade, resposta } = consent;
  const names = {
    de: nameIn(desk, de, consent.deNome ?? de),
    para: nameIn(desk, para, consent.paraNome ?? para),
    oque: consent.rotulo ?? capacidade,
  };
  const done = async (work: Promise<void>): Promise<void> => {
    await work;
    desk.settings.refresh();
  };
  const answer = (resposta: 'sim' | 'nao') => () =>
    act(() => done(answerConsent({ de, para, capacidade, resposta, duracao: 'sempre' })), text(answers[resposta]));
  const button = (label: TextKey, run: () => void): TemplateResult =>
    html`<ui-button ?disabled=${busy} description=${text('settings.consentWho', names)} @click=${run}>${text(label)}</ui-button>`;
  return row(
    id,
    text('settings.consentWho', names),
    [`${text('settings.consentWhat', names)} · ${capacidade}`, text(answers[resposta])],
    html`${resposta === 'sim' ? nothing : button('settings.consentAllow', answer('sim'))}
    ${resposta === 'nao' ? nothing : button('settings.consentRefuse', answer('nao'))}
    ${button(resposta === 'sim' ? 'settings.consentRevoke' : 'settings.consentForget', () => act(() => done(revokeConsent(id)), text(resposta === 'sim' ? 'settings.consentRevoked' : 'settings.consentForgotten')))}`,
  );
}

/** An engine that runs, and whose loader failed in the shell. */
function engineRow({ apps, engines }: SettingsContext['desk'], id: string, why: unknown): TemplateResult {
  const nome = nameAmong(apps.state.get().apps, id, apps.find(id)?.name ?? id);
  return row(
    id,
    nome,
    [text('settings.loaderBroken'), scriptFault(why, language.get())],
    html`<ui-button variant="primary" label=${text('settings.againOne', { nome })} @click=${() => engines.retry(id)}>
      ${text('settings.again')}
    </ui-button>`,
  );
}

/** The portal's own words, which are for whoever sees to it. */
const technical = (message: string, lang: string): TemplateResult =>
  html`<details class="technical">
    <summary>${text('tasks.technical')}</summary>
    <p lang=${lang}>${message}</p>
  </details>`;

export function failed({ desk, act, busy }: SettingsContext): TemplateResult {
  const apps = desk.apps.state.get().apps.filter(({ status }) => status === 'failed' || status === 'backoff');
  const engines = [...desk.engines.problems.get()];
  if (apps.length + engines.length === 0) return none(text('settings.failedNone'));
  return html`<ul>
    ${engines.map(([id, why]) => engineRow(desk, id, why))}
    ${apps.map(({ id, name, reason, message, escopo }) =>
      row(
        id,
        nameIn(desk, id, name),
        [reasonText(reason, language.get()), message === '' ? '' : technical(message, 'en')],
        html`<ui-button @click=${() => desk.open('@tarefas', id)}>${text('boot.tasks')}</ui-button> ${
            escopo === 'servidor'
              ? nothing
              : html`<ui-button
                  variant="primary"
                  ?disabled=${busy}
                  label=${text('settings.againOne', { nome: name })}
                  @click=${() => act(() => startApp(id), text('settings.againDone', { nome: name }))}
                >
                  ${text('settings.again')}
                </ui-button>`
          }`,
      ),
    )}
  </ul>`;
}

export function secrets({ desk }: SettingsContext): TemplateResult {
  const apps = desk.apps.state.get().apps.filter(({ secrets }) => secrets.declared > 0);
  if (apps.length === 0) return none(text('settings.secretsNone'));
  return html`<ul>
    ${apps.map(({ id, name, secrets: { declared, missing } }) =>
      row(
        id,
        nameIn(desk, id, name),
        [
          missing.length === 0
            ? text('settings.secretsSet', { n: declared })
            : text('secrets.missing', { n: missing.length, nomes: missing.join(', ') }),
        ],
        html`<ui-button label=${text('settings.secretsOpen', { nome: name })} @click=${() => desk.secretsApp.set(id)}>
          ${text('secrets.open')}
        </ui-button>`,
      ),
    )}
  </ul>`;
}

/** Where a person's apps run, and why they have no limits there. Source: rules 3.1. */
export function server({ desk, state }: SettingsContext): TemplateResult {
  const apps = desk.apps.state.get().apps.filter(({ pid, escopo }) => pid !== null && escopo === 'pessoa');
  const unlimited = apps.filter(({ contained }) => !contained);
  const { aviso } = desk.session;
  return html`<p>${text('settings.server')} <strong>${state.answer?.servidor ?? '…'}</strong></p>
    ${aviso === null ? nothing : html`<p class="note">${reasonText(aviso.reason, language.get())}</p>`}
    <p>
      ${text(apps.length === 0 ? 'settings.limitsNoApp' : unlimited.length === 0 ? 'settings.limitsAll' : 'settings.limitsLack', { n: unlimited.length })}
    </p>
    <ul>
      ${unlimited.map(({ id, name, containedReason }) => row(id, nameIn(desk, id, name), [text('tasks.containedHint'), technical(containmentText(containedReason, language.get()), shownAs())], nothing))}
    </ul>`;
}
