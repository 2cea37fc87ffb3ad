/** The page of one app: what it is, its state, why it is refused, what is new, every version, and what it requires of the server. */
import { html, nothing, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import { reasonText } from '../../schema/texts/reasons.ts';
import type { ShopApp, ShopInstall } from '../../schema/wire/shop.ts';
import { extensionLinks, extensionReason } from '../extensions/offer.ts';
import { categoryText, language, text, type TextKey } from '../i18n/i18n.ts';
import '../ui/app-icon.ts';
import { glyph } from '../ui/glyphs.ts';
import { appActions } from './app-actions.ts';
import { changelog } from './app-card.ts';
import type { ShopContext } from './context.ts';
import { installProgress } from './install-progress.ts';
import { shopLink } from './links.ts';
import { newsOf, sayAuthors, sayDate, sayRefusal, saySize, standingOf } from './words.ts';

export function appPage(app: ShopApp, context: ShopContext, back: () => void): TemplateResult {
  const news = newsOf(app);
  return html`<article class="page" aria-label=${text('store.page', { nome: app.name })} data-app=${app.id}>
    <div class="way">
      <ui-button variant="quiet" data-action="back" @click=${back}>${glyph('back')}${text('store.back')}</ui-button>
      ${copyButton(context, 'link', text('store.copyLink'), 'link', shopLink(app.id))}
    </div>
    <header class="head">
      <svc-app-icon .app=${app} .size=${72}></svc-app-icon>
      <div class="who">
        <h3 tabindex="-1">${app.name}</h3>
        <p class="authors">${sayAuthors(app)}</p>
        <p class="authors">${standing(app)}</p>
      </div>
    </header>
    ${appActions(app, context, 'page')} ${app.install === null ? nothing : installStanding(app, app.install)} ${whyNot(app, context)}
    ${app.drift ? html`<p class="note">${glyph('warning')}<span>${text('store.drift')}</span></p>` : nothing}
    ${app.description === '' ? nothing : html`<p class="lead">${app.description}</p>`} ${pictures(app)} ${extensionOf(app, context)}
    ${
      news.length === 0
        ? nothing
        : html`<section>
            <h4>${text('store.news')}</h4>
            ${news.map(({ version, novidades }) => changelog(version, novidades))}
          </section>`
    }
    ${needs(app)} ${facts(app)} ${versions(app, context)}
  </article>`;
}

/** In their order, in a row that scrolls; each is shown alone by its link. */
function pictures({ imagens }: ShopApp): TemplateResult | typeof nothing {
  if (imagens.length === 0) return nothing;
  return html`<section>
    <h4>${text('store.pictures')}</h4>
    <ul class="pictures">
      ${imagens.map(
        ({ endereco, texto, largura, altura }) =>
          html`<li>
            <a href=${endereco} target="_blank" rel="noopener noreferrer" title=${texto} aria-label=${text('store.picture', { texto })}>
              <img src=${endereco} alt="" width=${largura} height=${altura} loading="lazy" decoding="async" />
            </a>
          </li>`,
      )}
    </ul>
  </section>`;
}

function standing(app: ShopApp): string {
  const newest = app.versions[0]?.version ?? app.installed ?? '';
  if (app.installed === null) return `${text('store.version')} ${newest}`;
  const version = app.updatable ? text('store.fromTo', { de: app.installed, para: newest }) : app.installed;
  const scope = text(app.scope === 'sistema' ? 'store.badgeEveryone' : 'store.badgeInstalled');
  return `${text('store.version')} ${version} · ${scope}`;
}

/** Goes on, waits, or failed: then why, what stays, and for engineers what the portal says. */
function installStanding(app: ShopApp, install: ShopInstall): TemplateResult | typeof nothing {
  const standing = standingOf(app, install);
  if (standing === 'over') return nothing;
  if (standing === 'going') return installProgress(app, install);
  const failed = standing === 'failed';
  const motivo = reasonText(install.reason, language.get());
  return html`<div class="failure" role="group">
    <p>${glyph('warning')}<strong>${failed ? text('store.failed', { motivo }) : `${motivo}.`}</strong></p>
    ${app.installed === null ? nothing : html`<p>${text('store.failedStays', { versao: app.installed })}</p>`}
    <details class="technical">
      <summary>${text('store.technical')}</summary>
      <p lang="en"><code>${install.reason}</code> ${install.message}</p>
    </details>
  </div>`;
}

function whyNot(app: ShopApp, context: ShopContext): TemplateResult | typeof nothing {
  // With the newest version installed or requested, refusals are not shown.
  const moot = app.install !== null || (app.installed !== null && !app.updatable && app.scope === 'pessoa');
  if (app.refused.length === 0 || moot) return nothing;
  const { session, shop } = context.desk;
  const refusals = app.refused.map((refusal) => {
    const offer =
      refusal.motivo === 'capability' ? shop.state.get().apps.filter(({ provides }) => provides.includes(refusal.alvo ?? '')) : [];
    const others = offer.filter(({ id }) => id !== app.id);
    const names = others.map(({ name }) => name);
    return { ...sayRefusal(refusal, app, session, names), others };
  });
  const asks = refusals.flatMap(({ why, ask }) => (ask === null ? [] : [`${why} ${ask}`]));
  if (app.installed !== null && asks.length === 0) return html`<p class="quiet">${refusals.map(({ why }) => why).join(' ')}</p>`;
  return html`<section class="why">
    <h4>${text(app.installed === null ? 'store.whyNot' : 'store.whyNoUpdate')}</h4>
    <ul>
      ${refusals.map(
        ({ why, ask, others }) =>
          html`<li>
            <strong>${why}</strong> ${ask ?? ''}
            ${others.map(
              (other) =>
                html`<button class="link" type="button" @click=${() => context.show(other.id)}>
                  ${text('store.page', { nome: other.name })}
                </button> `,
            )}
          </li>`,
      )}
    </ul>
    ${
      asks.length === 0 || session.admin
        ? nothing
        : copyButton(
            context,
            'ask',
            text('store.copyAsk'),
            'copy',
            [text('store.askIntro', { nome: app.name, id: app.id }), ...asks].join('\n'),
          )
    }
  </section>`;
}

function copyButton(context: ShopContext, mark: string, words: string, name: 'link' | 'copy', value: string): TemplateResult {
  const done = context.copied(mark);
  return html`<ui-button variant="quiet" data-action="copy-${mark}" @click=${() => context.copy(mark, value)}>
    ${glyph(done ? 'check' : name)}<span aria-live="polite">${done ? text('store.copied') : words}</span>
  </ui-button>`;
}

/** The extension offered by an installed app. */
function extensionOf({ id }: ShopApp, { desk }: ShopContext): TemplateResult | typeof nothing {
  const app = desk.settings.state.get().answer?.apps.find((each) => each.id === id);
  const offer = app?.extensao ?? null;
  if (app === undefined || offer === null) return nothing;
  return html`<section data-extension=${offer.id}>
    <h4>${text('settings.extensions')}</h4>
    <p><strong>${offer.nome}</strong></p>
    <p>${extensionReason(app, offer)}</p>
    <p class="quiet">${text('extension.lead')}</p>
    <p class="ways">${extensionLinks(offer)}</p>
  </section>`;
}

const needSigns = { sim: 'check', nao: 'warning', desconhecido: 'help' } as const;

/** Each with whether this server has it, in words, too. */
function needs(app: ShopApp): TemplateResult | typeof nothing {
  if (app.needs.length === 0) return nothing;
  return html`<section>
    <h4>${text('store.needs')}</h4>
    <ul class="needs">
      ${app.needs.map(
        ({ tipo, nome, aqui, opcional }) =>
          html`<li data-here=${aqui}>
            ${glyph(needSigns[aqui])}<span
              >${text(`store.need.${tipo}`, { nome })}${opcional ? ` (${text('store.optional')})` : ''}: ${text(`store.here.${aqui}`)}</span
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

function facts(app: ShopApp): TemplateResult {
  const newest = app.versions[0];
  const scope = app.scope ?? (app.instalacao.includes('pessoa') ? 'can' : 'sistema');
  const scopes = { pessoa: 'store.scopeOwn', sistema: 'store.scopeAll', can: 'store.scopeCan' } as const;
  const engines = app.motores.map(({ nome, versao, tamanho }) => `${nome} ${versao} (${saySize(tamanho)})`);
  const rows: readonly (readonly [TextKey, string | TemplateResult])[] = [
    ['store.size', newest?.tamanho == null ? '' : saySize(newest.tamanho)],
    ['store.license', app.license],
    ['store.signature', signatureOf(app)],
    ['store.category', categoryText(app.category === '' ? 'Other' : app.category)],
    ['store.scope', text(scopes[scope])],
    ['store.offers', app.provides.join(', ')],
    ['store.engines', engines.join(', ')],
    ['store.documentation', linkTo(app.documentacao)],
    ['store.homepage', linkTo(app.homepage)],
  ];
  return html`<section>
    <h4>${text('store.facts')}</h4>
    <dl>
      ${rows
        .filter(([, value]) => value !== '')
        .map(
          ([key, value]) =>
            html`<div>
              <dt>${text(key)}</dt>
              <dd>${value}</dd>
            </div>`,
        )}
    </dl>
  </section>`;
}

const linkTo = (address: string | null): TemplateResult | '' =>
  address === null ? '' : html`<a href=${address} target="_blank" rel="noopener noreferrer">${address}</a>`;

function signatureOf({ signedBy, versions, refused }: ShopApp): string {
  if (versions.length === 0) return '';
  if (signedBy !== null) return text('store.signedBy', { chave: signedBy });
  return text(refused.some(({ motivo }) => motivo === 'assinatura') ? 'store.notSigned' : 'store.signatureUnchecked');
}

function versions(app: ShopApp, context: ShopContext): TemplateResult | typeof nothing {
  if (app.versions.length < 2) return nothing;
  const { shop } = context.desk;
  const chooses =
    app.actions.some((action) => action === 'install' || action === 'update' || action === 'remove') && app.refused.length === 0;
  return html`<section>
    <h4>${text('store.versions')}</h4>
    <ul class="versions">
      ${app.versions.map(
        ({ version, tamanho, publicadoEm }) =>
          html`<li>
            <span class="number">${version}</span>
            <span class="authors"
              >${[publicadoEm === null ? '' : sayDate(publicadoEm), tamanho === null ? '' : saySize(tamanho)].filter((part) => part !== '').join(' · ')}</span
            >
            ${version === app.installed ? html`<span class="chip calm">${text('store.thisInstalled')}</span>` : nothing}
            ${
              chooses && version !== app.installed && version !== app.versions[0]?.version
                ? html`<ui-button
                    variant="quiet"
                    label=${text('store.installVersion', { versao: version })}
                    @click=${() => void shop.install(app.id, version)}
                  >
                    ${text('store.install')}
                  </ui-button>`
                : nothing
            }
          </li>`,
      )}
    </ul>
  </section>`;
}
