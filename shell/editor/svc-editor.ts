/** The editor's window: one file of the person. Loaded with the first such window. Decision: docs/decisions/0217-the-text-editor.md */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { Desk } from '../desktop/desk.ts';
import { language, relativeTime, text } from '../i18n/i18n.ts';
import { nameOfPath } from '../opening/file-path.ts';
import { ApiError } from '../session/api.ts';
import { downloadUrl, readContent, readEtag, readFacts, writeContent } from '../session/content-api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { dark } from '../ui/theme.ts';
import { createCodeView, type CodeView } from './code-view.ts';
import { createDrafts, type Drafts } from './drafts.ts';
import { editorStyles } from './editor-styles.ts';
import { encode, type Encoding, type TextFormat } from './encoding.ts';
import { limits } from './limits.ts';
import { copyPath, openText, type Opened, type OpenText } from './open-text.ts';
import { encodingName, refusalOf, statusOf, type SaveState } from './words.ts';

/** What is asked over the text; one at a time. */
type Note =
  | { readonly kind: 'changed' }
  | { readonly kind: 'restored'; readonly fromMs: number }
  | { readonly kind: 'unwritable' }
  | { readonly kind: 'failed'; readonly words: string }
  | { readonly kind: 'closing' };

interface Choice {
  readonly label: string;
  readonly run: () => void;
  readonly isFirst?: boolean;
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
  declare desk: Desk;
  /** Of it. */
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
  /** What is on the server. */
  #stored = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #loads = 0;
  /** Of what is in the window. */
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
    addEventListener('focus', this.#look);
    document.addEventListener('visibilitychange', this.#hidden);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener('focus', this.#look);
    document.removeEventListener('visibilitychange', this.#hidden);
    clearTimeout(this.#timer);
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
    if (changed.has('note') && this.note?.kind === 'closing') this.renderRoot.querySelector<HTMLElement>('.note .button')?.focus();
  }

  focusContent(): void {
    if (this.opened?.kind === 'text' && this.#view !== null) this.#view.focus();
    else this.renderRoot.querySelector<HTMLElement>('button, a')?.focus();
    this.#look();
  }

  /** `as`: in this encoding, whatever is in it. */
  async #open(as: Encoding | null): Promise<void> {
    this.#drafts ??= createDrafts(this.desk.session.usuario, Date.now);
    const load = (this.#loads += 1);
    const { path } = this;
    this.#shownPath = path;
    this.problem = null;
    try {
      const opened = await openText({ facts: readFacts, content: readContent }, path, as);
      const draft = opened.kind === 'text' && opened.readOnly === null ? await this.#drafts?.find(path).catch(() => null) : null;
      if (load !== this.#loads || !this.isConnected) return;
      this.opened = opened;
      this.note = null;
      if (opened.kind !== 'text') return;
      this.#etag = opened.etag;
      this.#stored = opened.text;
      this.save = 'saved';
      if (draft == null || draft.texto === opened.text) return await this.#show(opened, opened.text, opened.format);
      await this.#show(opened, draft.texto, draft.formato);
      this.save = 'kept';
      this.#etag = draft.etag;
      this.note = draft.etag === opened.etag ? { kind: 'restored', fromMs: draft.quandoMs } : { kind: 'changed' };
    } catch (error) {
      if (load === this.#loads) this.problem = sayError(error);
    }
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
        await this.#drafts?.drop(path);
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

  async #save({ isForced = false, format = this.format, path = this.path, isNew = false } = {}): Promise<boolean> {
    const shown = this.#view?.text();
    if (shown === undefined || format === null || !this.#isEditable || this.save === 'saving') return false;
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
      const isChanged = error instanceof ApiError && error.code === 'FILE_CHANGED';
      this.note = isChanged ? { kind: 'changed' } : { kind: 'failed', words: text('editor.notSaved', { erro: sayError(error) }) };
      this.#changed();
      return false;
    }
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
    const etag = await readEtag(this.path);
    if (etag === this.#etag || this.note !== null || this.save === 'saving') return;
    if (this.#isDirty) this.note = { kind: 'changed' };
    else await this.#open(null);
  }

  async #discard(): Promise<void> {
    clearTimeout(this.#timer);
    await this.#drafts?.drop(this.path).catch(() => undefined);
    this.save = 'saved';
    await this.#open(null);
  }

  #askClosing(): void {
    this.note = { kind: 'closing' };
  }

  async #close(saves: boolean): Promise<void> {
    if (saves && !(await this.#save())) return;
    clearTimeout(this.#timer);
    await this.#drafts?.drop(this.path).catch(() => undefined);
    this.desk.hold(this.window, null);
    this.desk.close(this.window);
  }

  #choices(note: Note): readonly Choice[] {
    const away = (): void => {
      this.note = null;
      this.focusContent();
    };
    const asUtf8: TextFormat | null = this.format === null ? null : { ...this.format, encoding: 'utf-8', mark: false };
    switch (note.kind) {
      case 'changed':
        return [
          { label: text('editor.reload'), run: () => void this.#discard() },
          { label: text('editor.overwrite'), run: () => void this.#save({ isForced: true }) },
          { label: text('editor.copy'), run: () => void this.#saveCopy(), isFirst: true },
        ];
      case 'restored':
        return [
          { label: text('editor.discard'), run: () => void this.#discard() },
          { label: text('editor.keep'), run: away, isFirst: true },
        ];
      case 'unwritable':
        return [
          { label: text('editor.asUtf8'), run: () => void this.#save({ format: asUtf8 }), isFirst: true },
          { label: text('editor.stay'), run: away },
        ];
      case 'failed':
        return [
          { label: text('editor.again'), run: () => void this.#save(), isFirst: true },
          { label: text('editor.stay'), run: away },
        ];
      default:
        return [
          { label: text('editor.save'), run: () => void this.#close(true), isFirst: true },
          { label: text('editor.closeAnyway'), run: () => void this.#close(false) },
          { label: text('editor.stay'), run: away },
        ];
    }
  }

  #words(note: Note): string {
    if (note.kind === 'failed') return note.words;
    if (note.kind === 'restored') return text('editor.restored', { quando: relativeTime(note.fromMs, Date.now()) });
    if (note.kind === 'unwritable') return text('editor.unwritable', { codificacao: encodingName(this.format?.encoding ?? 'utf-8') });
    return note.kind === 'closing' ? text('editor.closing', { nome: this.#name }) : text('editor.changed');
  }

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
        ${choices.map(({ label, run }) => html`<button class="button" type="button" @click=${run}>${label}</button>`)}
        ${hasDownload ? html`<a class="button" href=${downloadUrl(this.path)} download>${text('editor.download')}</a>` : nothing}
      </div>
    </div>`;
  }

  #bar(): TemplateResult {
    const act = (sign: Parameters<typeof glyph>[0], label: string, run: () => void, pressed?: boolean): TemplateResult =>
      html`<button
        class="icon-button"
        type="button"
        title=${label}
        aria-label=${label}
        aria-pressed=${pressed === undefined ? nothing : String(pressed)}
        @click=${run}
      >
        ${glyph(sign)}
      </button>`;
    return html`<div class="bar" role="toolbar" aria-label=${text('editor.bar')}>
      <button
        class="button"
        type="button"
        title=${text('editor.saveKeys')}
        ?disabled=${!this.#isEditable || !this.#isDirty || this.save === 'saving'}
        @click=${() => void this.#save()}
      >
        ${text('editor.save')}
      </button>
      ${act('search', text('editor.find'), () => this.#view?.find())} ${act('forward', text('editor.line'), () => this.#view?.goToLine())}
      ${act('text', text('editor.wrap'), () => ((this.wraps = !this.wraps), this.#view?.setWrap(this.wraps)), this.wraps)}
    </div>`;
  }

  #notes({ readOnly }: OpenText): TemplateResult {
    const { note } = this;
    return html`${readOnly === null ? nothing : html`<div class="note" role="status"><p>${text(readOnly === 'mode' ? 'editor.mode' : 'editor.lossy')}</p></div>`}
    ${
      note === null
        ? nothing
        : html`<div class="note" role="alert">
            <p>${this.#words(note)}</p>
            ${this.#choices(note).map(
              ({ label, run, isFirst }) =>
                html`<button class="button ${isFirst === true ? 'primary' : ''}" type="button" @click=${run}>${label}</button>`,
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
