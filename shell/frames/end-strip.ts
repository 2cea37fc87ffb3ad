/** Over the page of an app that still runs and will be stopped: there is time to save. */
import { html, nothing, type TemplateResult } from 'lit';
import type { AppProjection } from '../../schema/wire/http.ts';
import { shownAs, text } from '../i18n/i18n.ts';
import { glyph } from '../ui/glyphs.ts';

const timeText = (atMs: number): string => new Date(atMs).toLocaleString(shownAs(), { dateStyle: 'short', timeStyle: 'short' });

/** The end that comes first. */
export function endStrip(app: AppProjection | undefined): TemplateResult | typeof nothing {
  if (app === undefined || app.pid === null || (app.drain === null && app.endsAtMs === null)) return nothing;
  const { name: nome, drain, endsAtMs } = app;
  if (drain === null || (endsAtMs !== null && endsAtMs < (drain.deadlineMs ?? Infinity))) {
    const hora = new Date(endsAtMs ?? 0).toLocaleTimeString(shownAs(), { timeStyle: 'short' });
    return strip(text('limit.title', { nome, hora }), text('limit.hint'));
  }
  const { server: servidor, deadlineMs } = drain;
  const words = deadlineMs === null ? text('drain.unused', { nome }) : text('drain.until', { nome, hora: timeText(deadlineMs) });
  return strip(text('drain.title', { servidor }), words);
}

const strip = (title: string, words: string): TemplateResult =>
  html`<div class="strip" role="status">
    ${glyph('warning')}
    <p><strong>${title}</strong><span>${words}</span></p>
  </div>`;
