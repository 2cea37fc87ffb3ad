/** CodeMirror with what the desktop adds: colours of the theme, words of the language, line ends as they are. Loaded with the first editor. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { gotoLine, highlightSelectionMatches, openSearchPanel, search, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension } from '@codemirror/state';
import {
  drawSelection,
  dropCursor,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { grammarOf, languageOf } from './languages.ts';
import { phrases } from './phrases.ts';

export interface CodeOptions {
  readonly root: ShadowRoot;
  readonly box: HTMLElement;
  readonly label: string;
  readonly changed: () => void;
  /** Line and column, from 1, and how many characters are chosen. */
  readonly moved: (line: number, column: number, chosen: number) => void;
  readonly save: () => void;
}

export interface CodeText {
  readonly name: string;
  readonly text: string;
  /** Lines keep their own ends. */
  readonly isMixed: boolean;
  readonly readOnly: boolean;
}

export interface CodeView {
  /** In place of what is there; nothing can be undone to before it. */
  show(text: CodeText): void;
  text(): string;
  setReadOnly(readOnly: boolean): void;
  setDark(isDark: boolean): void;
  setWrap(wraps: boolean): void;
  find(): void;
  goToLine(): void;
  focus(): void;
  close(): void;
}

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp, tags.inserted], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.meta], color: 'var(--code-comment)' },
  { tag: [tags.typeName, tags.className, tags.tagName, tags.standard(tags.variableName)], color: 'var(--code-type)' },
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.variableName)], color: 'var(--code-name)' },
  { tag: [tags.heading, tags.strong], fontWeight: 'bold' },
  { tag: [tags.deleted, tags.invalid], color: 'var(--code-wrong)' },
  { tag: tags.link, textDecoration: 'underline' },
]);

const look = EditorView.theme({
  '&': { height: '100%', color: 'var(--ink)', backgroundColor: 'var(--terminal)', fontSize: '13px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-gutters': { backgroundColor: 'var(--terminal)', color: 'var(--muted)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--code-line)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--code-chosen)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--code-match)' },
  '.cm-searchMatch': { backgroundColor: 'var(--code-match)', outline: '1px solid var(--line-strong)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--code-found)' },
  '.cm-specialChar': { color: 'var(--code-wrong)' },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '.cm-panels.cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-panel.cm-search, .cm-panel.cm-gotoLine': { padding: '8px 40px 8px 10px', fontSize: '13px' },
  '.cm-panel.cm-search label': { fontSize: '13px', marginRight: '10px', whiteSpace: 'nowrap' },
  '.cm-textfield': {
    minHeight: '32px',
    fontSize: '13px',
    padding: '0 8px',
    border: '1px solid var(--line-field)',
    borderRadius: '6px',
    backgroundColor: 'var(--field)',
    maxWidth: '100%',
  },
  '.cm-button': {
    minHeight: '32px',
    fontSize: '13px',
    padding: '0 10px',
    border: '1px solid var(--line-field)',
    borderRadius: '6px',
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
  },
  '.cm-panel.cm-search [name=close], .cm-dialog-close': { width: '32px', height: '32px', fontSize: '18px', color: 'var(--muted)' },
});

export function createCodeView({ root, box, label, changed, moved, save }: CodeOptions): CodeView {
  const [language, readOnly, theme, wrap] = [new Compartment(), new Compartment(), new Compartment(), new Compartment()];
  let [isDark, wraps] = [false, false];
  const extensions = (text: CodeText): Extension => [
    keymap.of([{ key: 'Mod-s', preventDefault: true, run: () => (save(), true) }]),
    keymap.of([...searchKeymap, ...historyKeymap, indentWithTab, ...defaultKeymap]),
    lineNumbers(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSpecialChars(),
    highlightSelectionMatches(),
    history(),
    drawSelection(),
    dropCursor(),
    indentOnInput(),
    bracketMatching(),
    indentUnit.of('  '),
    search({ top: true }),
    syntaxHighlighting(colours),
    look,
    EditorState.phrases.of(phrases()),
    EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', spellcheck: 'false', autocapitalize: 'off', autocorrect: 'off' }),
    text.isMixed ? EditorState.lineSeparator.of('\n') : [],
    language.of([]),
    readOnly.of(EditorState.readOnly.of(text.readOnly)),
    theme.of(EditorView.darkTheme.of(isDark)),
    wrap.of(wraps ? EditorView.lineWrapping : []),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) changed();
      if (!update.docChanged && !update.selectionSet) return;
      const { main } = update.state.selection;
      const line = update.state.doc.lineAt(main.head);
      moved(line.number, main.head - line.from + 1, main.to - main.from);
    }),
  ];
  const view = new EditorView({ root, parent: box });
  const endCaret = keepCaret(view, box);
  let shown = 0;
  const colour = async (name: string): Promise<void> => {
    const mine = (shown += 1);
    const grammar = grammarOf(name);
    if (grammar === null) return;
    // Without its colours a text is a text, too.
    const found = await languageOf(grammar).catch(() => null);
    if (mine === shown && found !== null) view.dispatch({ effects: language.reconfigure(found) });
  };
  return {
    show: (text) => {
      view.setState(EditorState.create({ doc: text.text, extensions: extensions(text) }));
      moved(1, 1, 0);
      void colour(text.name);
    },
    text: () => view.state.doc.toString(),
    setReadOnly: (now) => view.dispatch({ effects: readOnly.reconfigure(EditorState.readOnly.of(now)) }),
    setDark: (now) => {
      isDark = now;
      view.dispatch({ effects: theme.reconfigure(EditorView.darkTheme.of(now)) });
    },
    setWrap: (now) => {
      wraps = now;
      view.dispatch({ effects: wrap.reconfigure(now ? EditorView.lineWrapping : []) });
    },
    find: () => void openSearchPanel(view),
    goToLine: () => void gotoLine(view),
    focus: () => view.focus(),
    close: () => {
      endCaret();
      view.destroy();
    },
  };
}

/** A keyboard on the screen takes half of the box: the caret stays in sight. */
function keepCaret(view: EditorView, box: HTMLElement): () => void {
  let height = 0;
  const observer = new ResizeObserver(() => {
    const isLess = box.clientHeight < height;
    height = box.clientHeight;
    if (isLess && view.hasFocus) view.dispatch({ effects: EditorView.scrollIntoView(view.state.selection.main.head) });
  });
  observer.observe(box);
  return () => observer.disconnect();
}
