/** Shared parts of the portal's small pages: head, inline style, escaping. They load nothing. */
import { escapeHtml } from '../../schema/html.ts';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TextLanguage } from '../../schema/texts/reasons.ts';

const style = readFileSync(new URL('../proxy/panel/panel.css', import.meta.url), 'utf8');

/** As a policy names an inline script or style. */
export const sourceHash = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
/** Allows the style of `pageHead`. */
export const pageStyleHash = sourceHash(style);

/** Up to the end of the head. `title` is text: it is escaped here. */
export function pageHead(language: TextLanguage, title: string): string {
  return `<!doctype html>
<html lang="${language === 'pt' ? 'pt-BR' : 'en'}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>`;
}

/** To the part of the page of failures with this id (shell/help), in another tab: the help is not shown in the frame of a window. */
export function helpLink(portalOrigin: string, id: string, language: TextLanguage, words: string): string {
  return `<a id="ajuda" href="${escapeHtml(portalOrigin)}/ajuda/${language}/failures.html#${id}" target="_blank" rel="noopener">${words}</a>`;
}
