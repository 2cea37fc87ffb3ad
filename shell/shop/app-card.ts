/** A card in a list of the shop: picture, name, developer, description, state, and the most useful button. */
import { html, nothing, type TemplateResult } from 'lit';
import { reasonText } from '../../schema/texts/reasons.ts';
import type { ShopApp } from '../../schema/wire/shop.ts';
import { language, text } from '../i18n/i18n.ts';
import '../ui/app-icon.ts';
import { appActions } from './app-actions.ts';
import type { ShopContext } from './context.ts';
import { isForAdmins, newsOf, sayAuthors } from './words.ts';
import { installProgress } from './install-progress.ts';
import { readMarkdown, type Block, type Span } from './markdown.ts';

/** Its state, in a word. */
function badge(app: ShopApp): TemplateResult | typeof nothing {
  const said = (kind: string, words: string): TemplateResult => html`<span class="chip ${kind}">${words}</span>`;
  if (app.install?.state === 'failed') return said('bad', text('store.badgeFailed'));
  if (app.actions.includes('update')) return said('news', text('store.badgeUpdate'));
  if (app.installed !== null) return said('calm', text(app.scope === 'sistema' ? 'store.badgeEveryone' : 'store.badgeInstalled'));
  if (app.refused.length === 0) return nothing;
  return said('', text(app.refused.some(({ motivo }) => isForAdmins(motivo)) ? 'store.badgeByAdmin' : 'store.badgeLacks'));
}

export function appCard(app: ShopApp, context: ShopContext): TemplateResult {
  const { install } = app;
  return html`<li class="card" data-app=${app.id}>
    <button class="name" type="button" @click=${() => context.show(app.id)}>
      <svc-app-icon .app=${app} .size=${44}></svc-app-icon>
      <span class="who">
        <span class="title">${app.name}</span>
        <span class="authors">${sayAuthors(app)}</span>
      </span>
    </button>
    <p class="about">${app.description}</p>
    <div class="foot">
      ${install !== null && app.actions.includes('cancel') && install.state !== 'failed' && !app.actions.includes('retry') ? installProgress(app, install) : badge(app)}
      ${appActions(app, context, 'card')}
    </div>
  </li>`;
}

/** A line of the list of installed apps; with what an update brings. */
export function appRow(app: ShopApp, context: ShopContext): TemplateResult {
  const { install } = app;
  const newest = app.versions[0]?.version ?? '';
  const updates = app.actions.includes('update');
  const versions = updates ? text('store.fromTo', { de: app.installed ?? '', para: newest }) : (app.installed ?? install?.wanted ?? '');
  return html`<li class="row" data-app=${app.id}>
    <button class="name" type="button" @click=${() => context.show(app.id)}>
      <svc-app-icon .app=${app} .size=${36}></svc-app-icon>
      <span class="who">
        <span class="title">${app.name}</span>
        <span class="authors">${versions}</span>
      </span>
    </button>
    ${
      install?.state === 'failed'
        ? html`<span class="chip bad">${text('store.badgeFailed')}: ${reasonText(install.reason, language.get())}</span>`
        : nothing
    }
    ${appActions(app, context, 'card')}
    ${install !== null && install.progress !== null ? html`<div class="wide">${installProgress(app, install)}</div>` : nothing}
    ${
      updates
        ? html`<details class="wide news">
            <summary>${text('store.news')}</summary>
            ${newsOf(app).map(({ version, novidades }) => changelog(version, novidades))}
          </details>`
        : nothing
    }
  </li>`;
}

export function changelog(version: string, novidades: string): TemplateResult {
  return html`<div class="release">
    <h5>${version}</h5>
    <div class="changes">${novidades.trim() === '' ? html`<p>${text('store.noNews')}</p>` : readMarkdown(novidades).map(drawBlock)}</div>
  </div>`;
}

function drawBlock(block: Block): TemplateResult {
  if (block.kind === 'code') return html`<pre tabindex="0">${block.text}</pre>`;
  if (block.kind === 'heading') return html`<h6>${block.spans.map(drawSpan)}</h6>`;
  if (block.kind === 'paragraph') return html`<p>${block.spans.map(drawSpan)}</p>`;
  const items = block.items.map((spans) => html`<li>${spans.map(drawSpan)}</li>`);
  return block.ordered
    ? html`<ol>
        ${items}
      </ol>`
    : html`<ul>
        ${items}
      </ul>`;
}

function drawSpan(span: Span): TemplateResult {
  if (span.kind === 'link') return html`<a href=${span.href} target="_blank" rel="noopener noreferrer">${span.text}</a>`;
  if (span.kind === 'strong') return html`<strong>${span.text}</strong>`;
  if (span.kind === 'em') return html`<em>${span.text}</em>`;
  if (span.kind === 'code') return html`<code>${span.text}</code>`;
  return html`${span.text}`;
}
