/** The editor's window: one file of the person. Loaded with the first such window. Decision: docs/decisions/0217-the-text-editor.md */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/toolbar.ts';
import type { FilesDesk } from '../files/desk-acts.ts';
import { language, text } from '../i18n/i18n.ts';
import { nameOfPath, parentOf } from '../opening/file-path.ts';
import { ApiError } from '../session/api.ts';
import { downloadUrl, readContent, readEtag, readFacts, writeContent } from '../session/content-api.ts';
import { sayError } from '../session/say-error.ts';
import { part } from '../session/part.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { dark } from '../ui/theme.ts';
import { createCodeView, type CodeView } from './code-view.ts';
import { createDrafts, type Draft, type Drafts } from './drafts.ts';
import { editorStyles } from './editor-styles.ts';
import { encode, type Encoding, type TextFormat } from '../opening/encoding.ts';
import { limits } from './limits.ts';
import { choicesOf, isMissing, wordsOf, type Note, type NoteAct } from './notes.ts';
import { copyPath, openText, type Opened, type OpenText } from './open-text.ts';
import { encodingName, refusalOf, statusOf, type SaveHow, type SaveState } from './words.ts';

const plainSave: SaveHow = {};

/** A button in place of the text. */
interface Choice {
  readonly label: string;
  readonly run: () => void;
}

export class SvcEditor extends LitElement {
  static override properties = {
    desk: { attribute: false },
    window: { attribute: false },
    path: { attribute: false },
    opened: { state: true },
    format: { state: true },
    save: { state: true },
    note: { state: true },
    place: { state: true },
    wraps: { state: true },
    problem: { state: true },
  };
  declare desk: FilesDesk;
  /** Id of the window that shows it. */
  declare window: string;
  /** In the exact form. */
  declare path: string;
  declare opened: Opened | null;
  declare format: TextFormat | null;
  declare save: SaveState;
  declare note: Note | null;
  declare place: { readonly line: number; readonly column: number; readonly chosen: number };
  declare wraps: boolean;
  declare problem: string | null;
  #watch = new Watch(this, () => [language, dark]);
  #view: CodeView | null = null;
  #drafts: Drafts | null = null;
  #etag = '';
  /** The text as it is on the server. */
  #stored = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #loads = 0;
  /** The save under way, or the last one. */
  #saving: Promise<boolean> = Promise.resolve(true);
  /** The window is no more. */
  #gone = new AbortController();
  /** Path of the text in the window. */
  #shownPath: string | null = null;

  constructor() {
    super();
    this.opened = null;
    this.format = null;
    this.save = 'saved';
    this.note = null;
    this.place = { line: 1, column: 1, chosen: 0 };
    this.wraps = false;
    this.problem = null;
  }

  static override styles = [base, editorStyles];

  get #name(): string {
    return nameOfPath(this.path);
  }
  get #isDirty(): boolean {
    return this.save !== 'saved';
  }
  get #isEditable(): boolean {
    return this.opened?.kind === 'text' && this.opened.readOnly === null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
    this.#gone = new AbortController();
    addEventListener('focus', this.#look);
    document.addEventListener('visibilitychange', this.#hidden);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('focus', this.#look);
    document.removeEventListener('visibilitychange', this.#hidden);
    clearTimeout(this.#timer);
    this.#gone.abort();
    this.desk.hold(this.window, null);
    this.#view?.close();
    this.#view = null;
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('path') && this.path !== this.#shownPath) void this.#open(null);
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('save')) this.desk.hold(this.window, this.#isDirty ? () => this.#askClosing() : null);
    this.#view?.setDark(dark.get());
    if (changed.has('note') && this.note?.kind === 'closing') this.renderRoot.querySelector<HTMLElement>('.note ui-button')?.focus();
  }

  focusContent(): void {
    if (this.opened?.kind === 'text' && this.#view !== null) this.#view.focus();
    else this.renderRoot.querySelector<HTMLElement>('ui-button, a')?.focus();
    this.#look();
  }

  /** `as`: in this encoding, whatever is in it. `over`: in place of what is here and not saved, which is given up when the server's was read, not before. */
  async #open(as: Encoding | null, over = false): Promise<void> {
    this.#drafts ??= createDrafts(this.desk.session.usuario, Date.now);
    const load = (this.#loads += 1);
    const { path } = this;
    // The text of this very file is in the window.
    const isShown = this.#shownPath === path && this.opened?.kind === 'text';
    this.#shownPath = path;
    this.problem = null;
    const isOver = (): boolean => load !== this.#loads || !this.isConnected;
    try {
      const opened = await openText({ facts: readFacts, content: readContent }, path, as);
      if (isOver()) return;
      if (over && opened.kind !== 'text') return this.desk.toast.set({ words: refusalOf(opened).words, open: null });
      if (over) await this.#drafts.drop(path).catch(() => undefined);
      const draft = over ? null : await this.#draftFor(opened);
      if (isOver()) return;
      // Typed while it was read.
      if (isShown && !over && this.#isDirty) return void (this.note = { kind: 'changed' });
      await this.#take(opened, draft);
    } catch (error) {
      if (!isOver()) await this.#notRead(error, isShown, isOver);
    }
  }

  async #draftFor(opened: Opened): Promise<Draft | null> {
    if (opened.kind !== 'text' || opened.readOnly !== null) return null;
    return (await this.#drafts?.find(this.path).catch(() => null)) ?? null;
  }

  async #take(opened: Opened, draft: Draft | null): Promise<void> {
    this.opened = opened;
    this.note = null;
    if (opened.kind !== 'text') return;
    this.#etag = opened.etag;
    this.#stored = opened.text;
    this.save = 'saved';
    if (draft === null || draft.texto === opened.text) return await this.#show(opened, opened.text, opened.format);
    await this.#show(opened, draft.texto, draft.formato);
    this.save = 'kept';
    this.#etag = draft.etag;
    this.note = draft.etag === opened.etag ? { kind: 'restored', fromMs: draft.quandoMs } : { kind: 'changed' };
  }

  /** Keeps the text of the window, or the draft of this browser, when the file can't be read: it may be the only copy. */
  async #notRead(why: unknown, isShown: boolean, isOver: () => boolean): Promise<void> {
    const isGone = isMissing(why);
    if (isShown && isGone) this.note = { kind: 'gone', what: 'file' };
    else if (isShown) this.desk.toast.set({ words: sayError(why), open: null });
    if (isShown) return;
    const draft = isGone ? ((await this.#drafts?.find(this.path).catch(() => null)) ?? null) : null;
    if (isOver()) return;
    if (draft === null) return void (this.problem = sayError(why));
    const { texto, formato, etag } = draft;
    const opened: OpenText = { kind: 'text', text: texto, format: formato, isLossy: false, etag, readOnly: null };
    await this.#take(opened, null);
    this.save = 'kept';
    this.note = { kind: 'gone', what: 'file' };
  }

  async #show(opened: OpenText, shown: string, format: TextFormat): Promise<void> {
    this.format = format;
    await this.updateComplete;
    const box = this.renderRoot.querySelector<HTMLElement>('.box');
    if (box === null || !this.isConnected) return;
    this.#view ??= createCodeView({
      root: this.renderRoot as ShadowRoot,
      box,
      label: text('editor.text', { nome: this.#name }),
      changed: () => this.#changed(),
      moved: (line, column, chosen) => (this.place = { line, column, chosen }),
      save: () => void this.#save(),
    });
    const readOnly = opened.readOnly !== null;
    this.#view.setDark(dark.get());
    this.#view.show({ name: this.#name, text: shown, isMixed: format.lineEnd === 'mixed', readOnly });
    if (this.desk.windows.top()?.id === this.window) this.#view.focus();
  }

  #changed(): void {
    if (!this.#isEditable) return;
    if (this.save !== 'saving') this.save = 'unsaved';
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#keep(), limits.editorDraftDelayMs);
  }

  /** The page may be gone before the delay is over. */
  readonly #hidden = (): void => {
    if (document.visibilityState === 'hidden' && this.save === 'unsaved') void this.#keep();
  };

  /** In this browser, until it is saved. */
  async #keep(): Promise<void> {
    const [texto, formato, { path }] = [this.#view?.text(), this.format, this];
    if (texto === undefined || formato === null || this.save === 'saving') return;
    try {
      if (texto === this.#stored) {
        await this.#drafts?.drop(path).catch(() => undefined);
        if (this.#view?.text() === this.#stored) this.save = 'saved';
        if (this.save === 'saved' && this.note?.kind === 'restored') this.note = null;
        return;
      }
      await this.#drafts?.keep(path, { texto, formato, etag: this.#etag });
      if (this.save === 'unsaved' && this.#view?.text() === texto) this.save = 'kept';
    } catch {
      // A browser that stores nothing: the title goes on saying that it is not saved.
    }
  }

  async #save(how = plainSave): Promise<boolean> {
    // During a save: after it, since the text may have gone on.
    while (this.save === 'saving') if ((await this.#saving.catch(() => false)) && how === plainSave && !this.#isDirty) return true;
    return await (this.#saving = this.#write(how));
  }

  async #write({ isForced = false, format = this.format, path = this.path, isNew = false }: SaveHow): Promise<boolean> {
    const shown = this.#view?.text();
    if (shown === undefined || format === null || !this.#isEditable) return false;
    const bytes = encode(shown, format);
    if (bytes === null) {
      this.note = { kind: 'unwritable' };
      return false;
    }
    const before = this.save;
    this.save = 'saving';
    try {
      const { etag } = await writeContent(path, bytes, isNew ? 'new' : isForced ? null : { matches: this.#etag });
      const draftOf = this.path;
      [this.#etag, this.#stored, this.format, this.note] = [etag, shown, format, null];
      if (path !== this.path) this.#movedTo(path);
      await this.#drafts?.drop(draftOf).catch(() => undefined);
      this.save = this.#view?.text() === shown ? 'saved' : 'unsaved';
      if (this.#isDirty) this.#changed();
      else this.desk.announcement.set(text('editor.saved'));
      return true;
    } catch (error) {
      this.save = before === 'saved' ? 'saved' : 'unsaved';
      if (isNew && error instanceof ApiError && error.code === 'FILE_CHANGED') throw error;
      this.note = await this.#noteOf(error);
      this.#changed();
      return false;
    }
  }

  /** Note for a failed save. A deleted file fails the condition of the save just as a changed one does. */
  async #noteOf(why: unknown): Promise<Note> {
    if (isMissing(why)) return { kind: 'gone', what: 'folder' };
    if (!(why instanceof ApiError && why.code === 'FILE_CHANGED'))
      return { kind: 'failed', words: text('editor.notSaved', { erro: sayError(why) }) };
    const isGone = await readFacts(this.path).then(() => false, isMissing);
    return isGone ? { kind: 'gone', what: 'file' } : { kind: 'changed' };
  }

  /** The file is made anew, unless another one has its name by now. */
  async #saveAgain(): Promise<void> {
    try {
      await this.#save({ isNew: true });
    } catch {
      this.note = { kind: 'changed' };
    }
  }

  /** Where the person says, who is asked before another file is replaced. */
  async #saveElsewhere(): Promise<void> {
    const { pickFiles } = await part('svc-file-picker', () => import('../files/svc-file-picker.ts'));
    const place = parentOf(this.path);
    const request = { kind: 'save', extensions: [], several: false, name: this.#name, place, isOwn: true } as const;
    const [chosen] = (await pickFiles(this.desk, this.desk.nameOf('@editor'), request, this.#gone.signal)) ?? [];
    if (chosen !== undefined) await this.#save({ path: chosen.caminho, isForced: true });
  }

  /** The window is that of the copy from now on. */
  #movedTo(path: string): void {
    this.#loads += 1;
    this.#shownPath = path;
    this.path = path;
    this.desk.windows.setRoute(this.window, path);
  }

  async #saveCopy(): Promise<void> {
    const from = this.path;
    for (let n = 2; n < 100; n += 1) {
      const path = copyPath(from, n);
      try {
        if (await this.#save({ path, isNew: true }))
          this.desk.toast.set({ words: text('editor.copied', { nome: nameOfPath(path) }), open: null });
        return;
      } catch {
        // That name is taken.
      }
    }
  }

  /** Whether it changed on the server while the person was elsewhere: asked when they are back. */
  readonly #look = (): void => {
    if (this.opened?.kind !== 'text' || this.note !== null || this.save === 'saving') return;
    void this.#compare().catch(() => undefined);
  };

  async #compare(): Promise<void> {
    const etag = await readEtag(this.path).catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (etag === this.#etag || this.note !== null || this.save === 'saving') return;
    if (etag === null) return void (this.note = { kind: 'gone', what: 'file' });
    if (this.#isDirty) this.note = { kind: 'changed' };
    else await this.#open(null);
  }

  #askClosing(): void {
    this.note = { kind: 'closing' };
  }

  /** False: it could not be saved, or was changed meanwhile. */
  async #saveAll(): Promise<boolean> {
    await this.#saving.catch(() => false);
    return (!this.#isDirty || (await this.#save())) && !this.#isDirty;
  }

  async #close(saves: boolean): Promise<void> {
    if (saves && !(await this.#saveAll())) return;
    clearTimeout(this.#timer);
    await this.#drafts?.drop(this.path).catch(() => undefined);
    this.desk.hold(this.window, null);
    this.desk.close(this.window);
  }

  readonly #acts: Readonly<Record<NoteAct, () => Promise<unknown> | void>> = {
    reload: async () => await this.#open(null, true),
    drop: async () => await this.#open(null, true),
    overwrite: async () => await this.#save({ isForced: true }),
    copy: async () => await this.#saveCopy(),
    'again-here': async () => await this.#saveAgain(),
    elsewhere: async () => await this.#saveElsewhere(),
    'as-utf8': async () => await this.#save({ format: this.format === null ? null : { ...this.format, encoding: 'utf-8', mark: false } }),
    save: async () => await this.#save(),
    'save-and-close': async () => await this.#close(true),
    close: async () => await this.#close(false),
    stay: () => {
      this.note = null;
      this.#view?.focus();
    },
  };

  override render(): TemplateResult {
    const { opened } = this;
    if (this.problem !== null)
      return this.#refused(this.problem, [{ label: text('editor.again'), run: () => void this.#open(null) }], false);
    if (opened === null) return html`<p class="refused" role="status">${text('editor.opening')}</p>`;
    if (opened.kind !== 'text') {
      const { words, encodings } = refusalOf(opened);
      const choices = encodings.map((as) => ({
        label: text('editor.openAs', { codificacao: encodingName(as) }),
        run: () => void this.#open(as),
      }));
      return this.#refused(words, choices, opened.kind !== 'no-file');
    }
    return html`${this.#bar()} ${this.#notes(opened)}
      <div class="box" data-own-keys></div>
      ${this.#status(opened)}`;
  }

  #refused(words: string, choices: readonly Choice[], hasDownload: boolean): TemplateResult {
    return html`<div class="refused">
      <p role="alert">${words}</p>
      <div class="choices">
        ${choices.map(({ label, run }) => html`<ui-button @click=${run}>${label}</ui-button>`)}
        ${hasDownload ? html`<ui-button href=${downloadUrl(this.path)} download>${text('editor.download')}</ui-button>` : nothing}
      </div>
    </div>`;
  }

  #bar(): TemplateResult {
    const act = (sign: Parameters<typeof glyph>[0], label: string, run: () => void, pressed?: boolean): TemplateResult =>
      html`<ui-button
        icon
        variant="quiet"
        title=${label}
        label=${label}
        pressed=${pressed === undefined ? nothing : String(pressed)}
        @click=${run}
      >
        ${glyph(sign)}
      </ui-button>`;
    return html`<ui-toolbar class="bar" label=${text('editor.bar')}>
      <ui-button
        title=${text('editor.saveKeys')}
        ?disabled=${!this.#isEditable || !this.#isDirty || this.save === 'saving'}
        @click=${() => void this.#save()}
      >
        ${text('editor.save')}
      </ui-button>
      ${act('search', text('editor.find'), () => this.#view?.find())} ${act('forward', text('editor.line'), () => this.#view?.goToLine())}
      ${act('text', text('editor.wrap'), () => ((this.wraps = !this.wraps), this.#view?.setWrap(this.wraps)), this.wraps)}
    </ui-toolbar>`;
  }

  #notes({ readOnly }: OpenText): TemplateResult {
    const { note } = this;
    return html`${readOnly === null ? nothing : html`<div class="note" role="status"><p>${text(readOnly === 'mode' ? 'editor.mode' : 'editor.lossy')}</p></div>`}
    ${
      note === null
        ? nothing
        : html`<div class="note" role="alert">
            <p>${wordsOf(note, this.#name, this.format?.encoding ?? 'utf-8', Date.now())}</p>
            ${choicesOf(note).map(
              ({ label, act, isFirst }) =>
                html`<ui-button variant=${isFirst === true ? 'primary' : 'plain'} @click=${() => void this.#acts[act]()}>
                  ${text(label)}
                </ui-button>`,
            )}
          </div>`
    }`;
  }

  #status({ readOnly }: OpenText): TemplateResult {
    const { line, column, chosen } = this.place;
    const words = statusOf(this.#name, this.format);
    return html`<div class="status">
      <span class="state" role="status" data-state=${this.save}>
        ${readOnly === null ? text(({ saved: 'editor.saved', unsaved: 'editor.unsaved', kept: 'editor.draft', saving: 'editor.saving' } as const)[this.save]) : text('editor.readOnly')}
      </span>
      <span>${text('editor.at', { linha: line, coluna: column })}</span>
      ${chosen === 0 ? nothing : html`<span>${text('editor.chosen', { n: chosen })}</span>`}
      ${words.map((each) => html`<span>${each}</span>`)}
    </div>`;
  }
}

customElements.define('svc-editor', SvcEditor);
