/** The sentences of the viewer in English. Part of en.ts. */
import type { ptViewer } from './pt-viewer.ts';

export const enViewer: { readonly [K in keyof typeof ptViewer]: string } = {
  'viewer.bar': 'Actions of the viewer',
  'viewer.previous': 'Previous picture',
  'viewer.next': 'Next picture',
  'viewer.at': '{n} of {total}',
  'viewer.smaller': 'Smaller',
  'viewer.larger': 'Larger',
  'viewer.fit': 'Fit to the window',
  'viewer.fitted': 'Fitted',
  'viewer.cut': 'These are the first {bytes} of {todos}.',
  'viewer.unknown': 'The viewer does not show this type of file.',
  'viewer.broken': 'The browser could not show this file.',
  'print.preparing': 'Preparing {nome} to print',
  'print.byViewer': 'In this browser, use the print button beside the PDF.',
};
