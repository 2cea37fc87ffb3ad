/** A change before it is written: what happens with it, and which lines of the file it is. */
import { html, nothing, type TemplateResult } from 'lit';
import { reasonText } from '../../schema/texts/reasons.ts';
import type { OwnDraftAnswer } from '../../schema/wire/own-file.ts';
import { catalogues, language, text, type TextKey } from '../i18n/i18n.ts';
import { glyph } from '../ui/glyphs.ts';

type Plan = OwnDraftAnswer['plan'];

export const mayBeWritten = ({ plan, elsewhere }: OwnDraftAnswer): boolean => plan.ok && elsewhere === null;

/** `about`: a sentence on what the plan can't say. */
export function reviewOf(draft: OwnDraftAnswer, about: string | null): TemplateResult {
  const { file, plan, elsewhere } = draft;
  if (elsewhere !== null) {
    const { file: arquivo, line: linha, from: documento } = elsewhere;
    return note(documento === null ? text('admin.elsewhere', { arquivo, linha }) : text('admin.byGroup', { documento, arquivo, linha }));
  }
  return html`
    ${plan.ok ? nothing : html`${note(text('admin.invalid'))} ${technicalLines(plan.errors)}`}
    ${plan.ok ? whatHappens(plan, about) : nothing}
    <section>
      <h3>${text('admin.diffOf', { arquivo: file })}</h3>
      ${draft.diff.length === 0 ? html`<p class="quiet">${text('admin.diffNone')}</p>` : diffLines(draft)}
    </section>
  `;
}

const note = (words: string): TemplateResult => html`<p class="note" role="alert">${glyph('warning')}<span>${words}</span></p>`;

const technicalLines = (lines: readonly string[]): TemplateResult =>
  html`<ul class="errors" lang="en">
    ${lines.map((line) => html`<li><code>${line.split('\n', 1)}</code></li>`)}
  </ul>`;

function whatHappens({ changes, blocked, pendingPrune, notes = [] }: Plan, about: string | null): TemplateResult {
  const rows = changes.map(({ key, action, detail }) => ({ key: nameOfKey(key), words: wordsOf(action), detail }));
  return html`<section>
    <h3>${text('admin.happens')}</h3>
    <ul aria-label=${text('admin.happens')}>
      ${rows.map(
        ({ key, words, detail }) =>
          html`<li>
            <span class="main"><strong>${key}</strong> ${words}</span>
            ${detail === '' ? nothing : html`<span class="wide quiet" lang="en">${detail}</span>`}
          </li>`,
      )}
      ${blocked.map(
        ({ key, reason, message }) =>
          html`<li>
            <span class="main"
              ><strong>${nameOfKey(key)}</strong> ${text('admin.waits', { motivo: reasonText(reason, language.get()) })}</span
            >
            <span class="wide quiet" lang="en">${message}</span>
          </li>`,
      )}
      ${pendingPrune.map(
        (key) =>
          html`<li>
            <span class="main"><strong>${nameOfKey(key)}</strong> ${text('admin.heldBack')}</span>
          </li>`,
      )}
    </ul>
    ${rows.length + blocked.length + pendingPrune.length === 0 ? html`<p class="quiet">${text('admin.happensNothing')}</p>` : nothing}
    ${about === null ? nothing : html`<p class="quiet about">${about}</p>`} ${notes.length === 0 ? nothing : technicalLines(notes)}
  </section>`;
}

/** `Person/zita` in words, where the kind has one. */
function nameOfKey(key: string): string {
  const at = key.indexOf('/');
  const word = `admin.kind.${key.slice(0, at)}`;
  return word in catalogues.pt ? `${text(word as TextKey)} ${key.slice(at + 1)}` : key;
}

/** A newer act is said as `svc plan` says it. */
function wordsOf(action: string): string {
  const key = `admin.act.${action}`;
  return key in catalogues.pt ? text(key as TextKey) : action;
}

function diffLines({ diff, file }: OwnDraftAnswer): TemplateResult {
  const signs = { added: '+', removed: '−', same: ' ' } as const;
  return html`<ul class="diff" aria-label=${text('admin.diffOf', { arquivo: file })}>
    ${diff.map(
      ({ change, line, text: words }) =>
        html`<li class=${change}>
          <span class="number" aria-hidden="true">${line}</span>
          <span aria-hidden="true">${signs[change]}</span>
          <span class="sr-only">${text(`admin.line.${change}`, { linha: line })}</span>
          <code lang="en">${words}</code>
        </li>`,
    )}
  </ul>`;
}
