/**
 * Images in the text. The document holds `![name](anexo:<sha256>)` and nothing of the bytes: those are an attachment of the room, fetched
 * once and shown in place of that text while the cursor is elsewhere.
 */
import { RangeSetBuilder, type Extension } from '@codemirror/state';
import { Decoration, EditorView, ViewPlugin, WidgetType, type DecorationSet, type ViewUpdate } from '@codemirror/view';
import { el } from './dom.ts';
import { words } from './reasons.ts';
import { say } from './texts.ts';

export interface ImageStore {
  /** Address of the bytes in this page. */
  url(sha: string): Promise<string>;
  /** Sends the bytes and answers with their sha256. */
  send(file: Blob): Promise<string>;
  /** Shows the current state in words. */
  tell(words: string): void;
}

const mark = /!\[([^\]\n]*)\]\(anexo:([0-9a-f]{64})\)/g;
const shownTypes = /^image\/(png|jpeg|gif|webp|avif)$/;

export const isImage = (file: Blob): boolean => shownTypes.test(file.type);

class ImageWidget extends WidgetType {
  readonly name: string;
  readonly sha: string;
  readonly #store: ImageStore;

  constructor(name: string, sha: string, store: ImageStore) {
    super();
    this.name = name;
    this.sha = sha;
    this.#store = store;
  }

  override eq(other: ImageWidget): boolean {
    return other.sha === this.sha && other.name === this.name;
  }

  override toDOM(view: EditorView): HTMLElement {
    const box = el('span', { className: 'imagem' }, say('imagemCarregando'));
    const image = el('img', { alt: this.name, draggable: false });
    image.addEventListener('load', () => {
      box.replaceChildren(image);
      // The line is higher now.
      view.requestMeasure();
    });
    const failed = (): void => box.replaceChildren(say('imagemIndisponivel', { nome: this.name }));
    image.addEventListener('error', failed);
    void this.#store.url(this.sha).then((url) => (image.src = url), failed);
    return box;
  }
}

function decorate(view: EditorView, store: ImageStore): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const { ranges } = view.state.selection;
  for (const { from, to } of view.visibleRanges) {
    for (const found of view.state.sliceDoc(from, to).matchAll(mark)) {
      const [start, end] = [from + found.index, from + found.index + found[0].length];
      // The cursor within: its text is shown, to be changed or taken away. A reader has no use for that.
      if (!view.state.readOnly && ranges.some((range) => range.from < end && range.to > start)) continue;
      builder.add(start, end, Decoration.replace({ widget: new ImageWidget(found[1] ?? '', found[2] ?? '', store) }));
    }
  }
  return builder.finish();
}

/** Sends the images among the files and puts them at a place of the text; false when there is none. */
export function insertImages(view: EditorView, files: readonly File[], store: ImageStore, at = view.state.selection.main.head): boolean {
  const images = files.filter(isImage);
  if (images.length === 0 || view.state.readOnly) return false;
  void (async () => {
    let place = at;
    for (const image of images) {
      store.tell(say('imagemEnviando'));
      try {
        const sha = await store.send(image);
        const name = image.name.replaceAll(/[[\]\n]/g, ' ').slice(0, 100);
        const insert = `![${name}](anexo:${sha})`;
        place = Math.min(place, view.state.doc.length);
        view.dispatch({ changes: { from: place, insert }, selection: { anchor: place + insert.length } });
        place += insert.length;
        store.tell(say('imagemPronta'));
      } catch (error) {
        store.tell(say('imagemFalhou', { erro: words(error) }));
        return;
      }
    }
  })();
  return true;
}

export function imagesIn(store: ImageStore): Extension {
  const plugin = ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = decorate(view, store);
      }
      update(update: ViewUpdate): void {
        const readOnly = update.startState.readOnly !== update.state.readOnly;
        if (update.docChanged || update.viewportChanged || update.selectionSet || readOnly) this.decorations = decorate(update.view, store);
      }
    },
    { decorations: ({ decorations }) => decorations },
  );
  const handlers = EditorView.domEventHandlers({
    paste: (event, view) => insertImages(view, [...(event.clipboardData?.files ?? [])], store),
    drop: (event, view) => {
      const place = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.doc.length;
      return insertImages(view, [...(event.dataTransfer?.files ?? [])], store, place);
    },
  });
  return [plugin, handlers];
}
