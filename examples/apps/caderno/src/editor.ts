/** The text: CodeMirror bound to the shared document, the others' cursors, highlighted comments, images. */
import { defaultKeymap } from '@codemirror/commands';
import { Compartment, EditorState, StateEffect, StateField, type Extension } from '@codemirror/state';
import { Decoration, drawSelection, EditorView, keymap, placeholder, type DecorationSet } from '@codemirror/view';
import type { Awareness } from 'y-protocols/awareness';
import { yCollab, yUndoManagerKeymap } from 'y-codemirror.next';
import * as Y from 'yjs';
import { imagesIn, type ImageStore } from './images.ts';
import { say } from './texts.ts';

export interface Highlight {
  readonly id: string;
  readonly from: number;
  readonly to: number;
  readonly current: boolean;
}

export interface Editor {
  readonly view: EditorView;
  setWritable(writable: boolean): void;
  highlight(marks: readonly Highlight[]): void;
  /** The words around changed language. */
  relabel(): void;
  goTo(from: number, to: number): void;
  readonly destroy: () => void;
}

const setHighlights = StateEffect.define<readonly Highlight[]>();

const highlights = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (marks, transaction) => {
    for (const effect of transaction.effects) {
      if (!effect.is(setHighlights)) continue;
      const max = transaction.newDoc.length;
      return Decoration.set(
        effect.value
          .filter(({ from, to }) => from < to && to <= max)
          .map(({ id, from, to, current }) =>
            Decoration.mark({ class: current ? 'comentado atual' : 'comentado', attributes: { 'data-comentario': id } }).range(from, to),
          ),
        true,
      );
    }
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Colours are those of the UI kit, so both themes are one. */
const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--svc-texto)', backgroundColor: 'var(--svc-superficie)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--svc-fonte)', lineHeight: '1.65', overflow: 'auto' },
  '.cm-content': { padding: '1.25rem 0', maxWidth: '46rem', marginInline: 'auto', caretColor: 'var(--svc-texto)' },
  '.cm-line': { padding: '0 1.25rem' },
  '.cm-cursor': { borderLeftColor: 'var(--svc-texto)', borderLeftWidth: '2px' },
  '.cm-placeholder': { color: 'var(--svc-texto-fraco)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--svc-acento) 28%, transparent)',
  },
  // The name is shown for good: the reader searches for the writer of each place. Its colours keep 4.5:1 whatever the person's colour is.
  '.cm-ySelectionInfo': {
    opacity: '1',
    top: '-1.35em',
    padding: '0 .35em',
    borderRadius: '.25em',
    fontFamily: 'var(--svc-fonte)',
    color: '#fff',
    backgroundColor: '#33383f',
    pointerEvents: 'none',
  },
});

const readOnly = (yes: boolean): Extension => [EditorState.readOnly.of(yes), EditorView.editable.of(!yes)];
const labels = (): Extension => [
  EditorView.contentAttributes.of({ 'aria-label': say('texto'), tabindex: '0', spellcheck: 'true' }),
  placeholder(say('texto')),
];

interface EditorParts {
  readonly parent: HTMLElement;
  readonly text: Y.Text;
  readonly presence: Awareness | null;
  readonly images: ImageStore;
  /** A highlighted passage was clicked. */
  readonly clicked: (comment: string) => void;
}

export function createEditor({ parent, text, presence, images, clicked }: EditorParts): Editor {
  const writing = new Compartment();
  const words = new Compartment();
  const undoManager = new Y.UndoManager(text);
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text.toJSON(),
      extensions: [
        keymap.of([...yUndoManagerKeymap, ...defaultKeymap]),
        EditorView.lineWrapping,
        drawSelection(),
        look,
        highlights,
        imagesIn(images),
        yCollab(text, presence, { undoManager }),
        writing.of(readOnly(true)),
        words.of(labels()),
        EditorView.domEventHandlers({
          click: (event) => {
            const mark = event.target instanceof Element ? event.target.closest<HTMLElement>('[data-comentario]') : null;
            if (mark?.dataset['comentario'] !== undefined) clicked(mark.dataset['comentario']);
          },
        }),
      ],
    }),
  });
  return {
    view,
    setWritable: (writable) => {
      if (view.state.readOnly === writable) view.dispatch({ effects: writing.reconfigure(readOnly(!writable)) });
    },
    highlight: (marks) => view.dispatch({ effects: setHighlights.of(marks) }),
    relabel: () => view.dispatch({ effects: words.reconfigure(labels()) }),
    goTo: (from, to) => {
      const max = view.state.doc.length;
      const [anchor, head] = [Math.min(from, max), Math.min(to, max)];
      view.dispatch({ selection: { anchor, head }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    },
    destroy: () => {
      undoManager.destroy();
      view.destroy();
    },
  };
}
