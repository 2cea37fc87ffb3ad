/** The viewer's window: one file of the person, as the browser shows it. Loaded with the first such window. Decision: docs/decisions/0221-the-viewer.md */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { letterOf } from '../../schema/bridge/key-letter.ts';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/toolbar.ts';
import type { FileItem } from '../../schema/wire/files.ts';
import { attempt } from '../windows/attempt.ts';
import type { OpeningDesk } from '../opening/model.ts';
import { decode, detect } from '../opening/encoding.ts';
import { language, text } from '../i18n/i18n.ts';
import { markOf, typeName } from '../opening/file-mark.ts';
import { typeOf } from '../opening/file-type.ts';
import { nameOfPath, parentOf } from '../opening/file-path.ts';
import { hasRole, openRole } from '../opening/open.ts';
import { downloadUrl, listFiles, readContent, readFacts } from '../session/content-api.ts';
import { sayError } from '../session/say-error.ts';
import { saySize } from '../shop/words.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph, type Glyph } from '../ui/glyphs.ts';
import '../opening/svc-file-icon.ts';
import { limits } from './limits.ts';
import { printing } from './print.ts';
import { isDrawing, sourceOf, type Source } from './source.ts';
import { viewerStyles } from './viewer-styles.ts';
import { nextZoom, wayOf, type Way } from './ways.ts';

type Shown =
  | { readonly way: 'image' | 'video' | 'audio' | 'pdf'; readonly source: Source }
  | { readonly way: 'text'; readonly text: string; readonly isCut: boolean }
  /** `broken`: the browser could make nothing of it. */
  | { readonly way: 'other'; readonly broken: boolean };

export class SvcViewer extends LitElement {
  static override properties = {
    desk: { attribute: false },
    window: { attribute: false },
    path: { attribute: false },
    item: { state: true },
    shown: { state: true },
    siblings: { state: true },
    zoom: { state: true },
    problem: { state: true },
  };
  declare desk: OpeningDesk;
  /** Id of the window that shows it. */
  declare window: string;
  /** In the exact form. */
  declare path: string;
  declare item: FileItem | null;
  declare shown: Shown | null;
  /** Pictures of the folder, in its order. */
  declare siblings: readonly string[];
  /** Null: as large as the window. */
  declare zoom: number | null;
  declare problem: string | null;
  #watch = new Watch(this, () => [language]);
  #loads = 0;
  /** Folder of the pictures in `siblings`. */
  #folder: string | null = null;

  constructor() {
    super();
    this.item = null;
    this.shown = null;
    this.siblings = [];
    this.zoom = null;
    this.problem = null;
  }

  static override styles = [base, viewerStyles];

  /** Where sound or a film was, whose address was over. */
  #resume: { readonly at: number; readonly plays: boolean } | null = null;

  get #name(): string {
    return nameOfPath(this.path);
  }

  override firstUpdated(): void {
    void this.#watch;
    this.addEventListener('keydown', (event) => this.#key(event));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#loads += 1;
    this.#release();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('path') || this.path === changed.get('path')) return;
    this.#resume = null;
    void this.#open();
  }

  /** The policy of the page takes no styles in HTML. */
  override updated(): void {
    const image = this.renderRoot.querySelector('img');
    if (image === null) return;
    const natural = image.naturalWidth === 0 ? 512 : image.naturalWidth;
    image.style.width = this.zoom === null ? '' : `${Math.max(1, Math.round(natural * this.zoom))}px`;
  }

  focusContent(): void {
    const first = (selector: string): HTMLElement | null => this.renderRoot.querySelector<HTMLElement>(selector);
    (first('.stage[tabindex]') ?? first('.stage > *') ?? first('.other button'))?.focus({ preventScroll: true });
  }

  #release(): void {
    if (this.shown !== null && 'source' in this.shown) this.shown.source.release();
    this.shown = null;
  }

  async #open(): Promise<void> {
    const load = (this.#loads += 1);
    const { path } = this;
    this.#release();
    this.zoom = null;
    this.problem = null;
    try {
      const item = await readFacts(path);
      const shown = item.tipo === 'arquivo' ? await loadAs(path, item, wayOf(this.#name)) : ({ way: 'other', broken: false } as const);
      if (load !== this.#loads) return 'source' in shown ? shown.source.release() : undefined;
      this.item = item;
      this.shown = shown;
      if (shown.way === 'image') void this.#findSiblings();
      await this.updateComplete;
      if (this.desk.windows.top()?.id === this.window) this.focusContent();
    } catch (error) {
      if (load === this.#loads) this.problem = sayError(error);
    }
  }

  async #findSiblings(): Promise<void> {
    const folder = parentOf(this.path);
    if (folder === null || (folder === this.#folder && this.siblings.includes(this.path))) return;
    // Without them there is one picture.
    const items = await listFiles(folder, limits.viewerSiblingsMax, this.#name.startsWith('.')).catch(() => []);
    this.#folder = folder;
    this.siblings = items.filter(({ nome }) => wayOf(nome) === 'image').map(({ caminho }) => caminho);
  }

  #go(step: 1 | -1): void {
    const at = this.siblings.indexOf(this.path);
    const next = at === -1 ? undefined : this.siblings[at + step];
    if (next === undefined) return;
    this.path = next;
    this.desk.windows.setRoute(this.window, next);
    this.desk.announcement.set(this.#name);
  }

  #zoomBy(direction: 1 | -1): void {
    const image = this.renderRoot.querySelector('img');
    if (image === null) return;
    const now = this.zoom ?? (image.naturalWidth === 0 ? 1 : image.clientWidth / image.naturalWidth);
    this.zoom = nextZoom(now, direction);
  }

  #key(event: KeyboardEvent): void {
    const print = letterOf(event) === 'p' && (event.ctrlKey || event.metaKey) && !event.shiftKey ? this.#print : null;
    if (print !== null) {
      event.preventDefault();
      return print();
    }
    if (this.shown?.way !== 'image' || event.ctrlKey || event.altKey || event.metaKey) return;
    const isFit = this.zoom === null;
    const run =
      event.key === 'PageDown' || (isFit && event.key === 'ArrowRight')
        ? () => this.#go(1)
        : event.key === 'PageUp' || (isFit && event.key === 'ArrowLeft')
          ? () => this.#go(-1)
          : event.key === '+' || event.key === '='
            ? () => this.#zoomBy(1)
            : event.key === '-'
              ? () => this.#zoomBy(-1)
              : event.key === '0'
                ? () => (this.zoom = null)
                : null;
    if (run === null) return;
    event.preventDefault();
    run();
  }

  /** The browser gave up: the address is over, or it can't show what is in the file. */
  #failed(source: Source, media: HTMLMediaElement | null = null): void {
    // The clock of this machine may be another: a line that ended while something plays is tried again, from where it is.
    const isCut = media?.error?.code === MediaError.MEDIA_ERR_NETWORK && media.currentTime !== this.#resume?.at;
    if (Date.now() < source.untilMs && !isCut) {
      this.shown = { way: 'other', broken: true };
      return;
    }
    this.#resume = media === null ? null : { at: media.currentTime, plays: !media.paused };
    void this.#open();
  }

  #goOn(media: HTMLMediaElement): void {
    if (this.#resume === null) return;
    media.currentTime = this.#resume.at;
    // A browser may ask for a press first.
    if (this.#resume.plays) media.play().catch(() => undefined);
  }

  get #file(): { readonly caminho: string; readonly nome: string } {
    return { caminho: this.path, nome: this.#name };
  }

  /** Null: it can't be printed, or is not here yet. */
  get #print(): (() => void) | null {
    const run = this.item === null || this.shown === null ? null : printing(this.desk, this.item);
    return run === null ? null : () => attempt(this.desk, run);
  }

  override render(): TemplateResult {
    const { problem, shown, item } = this;
    if (problem !== null)
      return html`<div class="other">
        <p role="alert">${problem}</p>
        <ui-button @click=${() => void this.#open()}>${text('editor.again')}</ui-button>
      </div>`;
    if (shown === null || item === null) return html`<p class="other" role="status">${text('editor.opening')}</p>`;
    return html`${this.#bar(shown)} ${this.#stage(shown, item)}`;
  }

  #act(sign: Glyph, label: string, run: () => void, isOff = false): TemplateResult {
    return html`<ui-button icon variant="quiet" title=${label} label=${label} ?disabled=${isOff} @click=${run}>
      ${glyph(sign)}
    </ui-button>`;
  }

  #bar({ way }: Shown): TemplateResult {
    const at = this.siblings.indexOf(this.path);
    const print = this.#print;
    const canEdit = way === 'text' || /\.svg$/i.test(this.#name);
    return html`<ui-toolbar class="bar" label=${text('viewer.bar')}>
      ${
        way !== 'image'
          ? nothing
          : html`${this.#act('back', text('viewer.previous'), () => this.#go(-1), at <= 0)}
              ${at === -1 ? nothing : html`<span class="at">${text('viewer.at', { n: at + 1, total: this.siblings.length })}</span>`}
              ${this.#act('forward', text('viewer.next'), () => this.#go(1), at === -1 || at === this.siblings.length - 1)}
              ${this.#act('minimise', text('viewer.smaller'), () => this.#zoomBy(-1))}
              <span class="zoom" role="status">${this.zoom === null ? text('viewer.fitted') : `${Math.round(this.zoom * 100)} %`}</span>
              ${this.#act('plus', text('viewer.larger'), () => this.#zoomBy(1))}
              <span class=${this.zoom === null ? 'spare' : ''}
                >${this.#act('maximise', text('viewer.fit'), () => (this.zoom = null), this.zoom === null)}</span
              >`
      }
      <span class="space"></span>
      ${
        canEdit && hasRole(this.desk, 'editor', this.#file)
          ? this.#act('text', text('menu.textEditor'), () => void openRole(this.desk, 'editor', this.#file))
          : nothing
      }
      ${this.#act('apps', text('menu.openWith'), () => this.desk.opening.asked.set(this.#file))}
      ${print === null || way === 'other' ? nothing : html`<span class=${way === 'image' ? 'spare' : ''}>${this.#act('print', text('menu.print'), print)}</span>`}
      <ui-button icon variant="quiet" href=${downloadUrl(this.path)} download title=${text('menu.download')} label=${text('menu.download')}
        >${glyph('download')}</ui-button
      >
    </ui-toolbar>`;
  }

  #stage(shown: Shown, item: FileItem): TemplateResult {
    const name = this.#name;
    if (shown.way === 'other') return this.#other(item, shown.broken);
    if (shown.way === 'text')
      return html`${shown.isCut ? html`<p class="note" role="status">${text('viewer.cut', { bytes: saySize(limits.viewerTextBytesMax), todos: saySize(item.bytes) })}</p>` : nothing}
        <div class="stage" tabindex="0" role="region" aria-label=${name}><pre>${shown.text}</pre></div>`;
    const { source, way } = shown;
    if (way === 'pdf')
      return html`<div class="stage fit"><iframe src=${source.url} title=${name} referrerpolicy="no-referrer"></iframe></div>`;
    if (way === 'image') return this.#image(source, name);
    const failed = (event: Event): void => this.#failed(source, event.currentTarget as HTMLMediaElement);
    const ready = (event: Event): void => this.#goOn(event.currentTarget as HTMLMediaElement);
    return way === 'video'
      ? html`<div class="stage fit">
          <video controls preload="metadata" src=${source.url} aria-label=${name} @error=${failed} @loadedmetadata=${ready}></video>
        </div>`
      : html`<div class="stage fit">
          <audio controls preload="metadata" src=${source.url} aria-label=${name} @error=${failed} @loadedmetadata=${ready}></audio>
        </div>`;
  }

  #image(source: Source, name: string): TemplateResult {
    return html`<div class="stage ${this.zoom === null ? 'fit' : ''}" tabindex="0" role="region" aria-label=${name}>
      <img src=${source.url} alt=${name} @error=${() => this.#failed(source)} />
    </div>`;
  }

  #other({ bytes, tipo }: FileItem, broken: boolean): TemplateResult {
    const { desk } = this;
    const openers = desk.opening.openers.get();
    const type = typeOf(this.#file, openers);
    const mark = markOf(type, openers, desk.preferences.state.get() ?? {});
    return html`<div class="other">
      <svc-file-icon .mark=${mark} .size=${64}></svc-file-icon>
      <h3>${this.#name}</h3>
      <p>${typeName(type, mark)}${tipo === 'arquivo' ? html` · ${saySize(bytes)}` : nothing}</p>
      <p>${text(broken ? 'viewer.broken' : 'viewer.unknown')}</p>
      <div class="choices">
        <ui-button variant="primary" @click=${() => desk.opening.asked.set(this.#file)}>${text('menu.openWith')}</ui-button>
        <ui-button href=${downloadUrl(this.path)} download>${text('menu.download')}</ui-button>
      </div>
    </div>`;
  }
}

async function loadAs(path: string, { bytes }: FileItem, way: Way): Promise<Shown> {
  if (way === 'other' || (way === 'pdf' && !navigator.pdfViewerEnabled)) return { way: 'other', broken: false };
  if (way !== 'text') {
    const source = await sourceOf(path, way, bytes);
    return source === null ? { way: 'other', broken: isDrawing(path) } : { way, source };
  }
  const isCut = bytes > limits.viewerTextBytesMax;
  const head = bytes === 0 ? new Uint8Array() : (await readContent(path, limits.viewerTextBytesMax - 1)).bytes;
  // A cut text may end within a character.
  const found = detect(isCut ? head.subarray(0, head.lastIndexOf(0x0a) + 1 || head.length) : head);
  return found === null ? { way: 'other', broken: false } : { way, text: decode(head, found).text, isCut };
}

customElements.define('svc-viewer', SvcViewer);
