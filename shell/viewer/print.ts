/**
 * Prints one file of the person through a frame that nobody sees, which holds that file and nothing else of the desktop: a text or a picture in a page that
 * is made here, a PDF in the page that the origin of files has for it. Decision: docs/decisions/0231-printing-of-files.md
 */
import type { FileItem } from '../../schema/wire/files.ts';
import type { OpeningDesk } from '../opening/model.ts';
import { decode, detect } from '../opening/encoding.ts';
import { text } from '../i18n/i18n.ts';
import { readBlob } from '../session/content-api.ts';
import { limits } from './limits.ts';
import { sourceOf } from './source.ts';
import { printWayOf } from './ways.ts';

/** The act that prints the file; null: it can't be printed. */
export function printing(desk: OpeningDesk, item: FileItem): (() => Promise<void>) | null {
  const way = printWayOf(item, { showsPdf: navigator.pdfViewerEnabled, origins: desk.session.origins });
  if (way === null) return null;
  return async () => {
    desk.announcement.set(text('print.preparing', { nome: item.nome }));
    if (way === 'pdf') await printPdf(desk, item);
    else if (way === 'image') await printImage(item);
    else await printText(item);
  };
}

/** Removes the document that was printed last. */
let end: () => void = () => undefined;

/** A frame out of sight: browsers print none that is not drawn. */
function newFrame(name: string, release: () => void): HTMLIFrameElement {
  end();
  const frame = document.createElement('iframe');
  frame.title = name;
  frame.tabIndex = -1;
  frame.setAttribute('aria-hidden', 'true');
  frame.referrerPolicy = 'no-referrer';
  Object.assign(frame.style, { position: 'fixed', top: '0', left: '-2000px', width: '800px', height: '600px', border: '0' });
  const timer = setTimeout(() => end(), limits.printKeptMs);
  end = () => {
    clearTimeout(timer);
    frame.remove();
    release();
    end = () => undefined;
  };
  return frame;
}

interface PrintPage {
  readonly page: Document;
  readonly print: () => void;
}

/** A page of this origin, with nothing in it but what is put there. The policy of the desktop is its own, too: nothing in it runs. */
async function newPage(name: string, css: string, release: () => void = () => undefined): Promise<PrintPage> {
  const frame = newFrame(name, release);
  const mine = end;
  // Some browsers put another empty page in place of the first.
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  document.body.append(frame);
  await loaded;
  const view = frame.contentWindow as (Window & typeof globalThis) | null;
  const page = frame.contentDocument;
  if (view === null || page === null) throw new Error(text('viewer.broken'));
  const sheet = new view.CSSStyleSheet();
  sheet.replaceSync(css);
  page.adoptedStyleSheets = [sheet];
  view.addEventListener('afterprint', () => mine());
  return {
    page,
    print: () => {
      // The browser proposes it as the name of a file.
      page.title = name;
      view.focus();
      view.print();
    },
  };
}

async function printText({ caminho, nome }: FileItem): Promise<void> {
  const part = await readBlob(caminho, null, limits.printTextBytesMax, AbortSignal.timeout(limits.printKeptMs));
  const bytes = part === null ? null : new Uint8Array(await part.blob.arrayBuffer());
  const found = bytes === null ? null : detect(bytes);
  if (bytes === null || found === null) throw new Error(text('viewer.broken'));
  const { page, print } = await newPage(
    nome,
    '@page { margin: 15mm } body { margin: 0 } pre { margin: 0; font: 10pt/1.4 monospace; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 4 }',
  );
  const pre = page.createElement('pre');
  pre.textContent = decode(bytes, found).text;
  page.body.append(pre);
  print();
}

async function printImage({ caminho, nome, bytes }: FileItem): Promise<void> {
  const source = await sourceOf(caminho, 'image', bytes);
  if (source === null) throw new Error(text('viewer.broken'));
  const { page, print } = await newPage(
    nome,
    '@page { margin: 10mm } html, body { height: 100%; margin: 0 } body { display: grid; place-items: center } img { max-width: 100%; max-height: 100%; object-fit: contain }',
    () => source.release(),
  );
  const image = page.createElement('img');
  image.src = source.url;
  page.body.append(image);
  await image.decode().catch(() => {
    end();
    throw new Error(text('viewer.broken'));
  });
  print();
}

/** The page of the origin of files asks the browser's viewer; a browser whose viewer takes no orders shows it, with a button of its own. */
async function printPdf(desk: OpeningDesk, { caminho, nome, bytes }: FileItem): Promise<void> {
  const source = await sourceOf(caminho, 'pdf', bytes);
  if (source === null) throw new Error(text('viewer.broken'));
  const said = new AbortController();
  const frame = newFrame(nome, () => said.abort());
  addEventListener(
    'message',
    ({ source: from, data }: MessageEvent<{ readonly imprimir?: unknown } | null>) => {
      if (from !== frame.contentWindow || data?.imprimir !== 'recusado') return;
      end();
      desk.open('@viewer', caminho);
      desk.toast.set({ words: text('print.byViewer'), open: null });
    },
    { signal: said.signal },
  );
  frame.src = `${source.url}/imprimir`;
  document.body.append(frame);
}
