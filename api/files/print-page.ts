/**
 * The page that prints a PDF: on the origin of files, since only a page of the same origin may ask the browser's viewer to print it. It holds nothing,
 * and says to the page that framed it how that went. Decision: docs/decisions/0231-printing-of-files.md
 */
import { sourceHash } from '../connections/page-head.ts';
import { escapeHtml } from '../../schema/html.ts';

/** End of the address of a PDF's print page, behind its key. */
export const printEnd = '/imprimir';

const script = `(() => {
  'use strict';
  const frame = document.createElement('iframe');
  const tell = (imprimir) => parent.postMessage({ imprimir }, document.documentElement.dataset.para);
  frame.addEventListener('load', () => {
    try {
      frame.contentWindow.focus();
      tell('pronto');
      frame.contentWindow.print();
    } catch {
      tell('recusado');
    }
  });
  frame.title = document.title;
  frame.src = location.pathname.slice(0, -${printEnd.length});
  document.body.append(frame);
})();`;
const style = 'html, body, iframe { width: 100%; height: 100%; margin: 0; border: 0; }';

export const printPolicy = (framedBy: string): string =>
  `default-src 'none'; script-src ${sourceHash(script)}; style-src ${sourceHash(style)}; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ${framedBy}`;

/** `name` is text: it is escaped here. */
export const printPage = (name: string, framedBy: string): string => `<!doctype html>
<html data-para="${escapeHtml(framedBy)}">
<head>
<meta charset="utf-8">
<title>${escapeHtml(name)}</title>
<style>${style}</style>
</head>
<body>
<script>${script}</script>
</body>
</html>
`;
