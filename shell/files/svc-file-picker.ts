/**
 * A picker: a dialog in which the person chooses files for an app to open, where it is to write one, or a folder. Loaded with the first one.
 * Decision: docs/decisions/0228-files-for-pages.md
 */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { letterOf } from '../../schema/bridge/key-letter.ts';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/dialog.ts';
import '../../sdk/web/ui/empty.ts';
import '../../sdk/web/ui/field.ts';
import '../../sdk/web/ui/select.ts';
import { nameBytes } from '../../schema/wire/file-path.ts';
import type { FileItem, PlacesAnswer } from '../../schema/wire/files.ts';
import type { FilesDesk } from './desk-acts.ts';
import { language, text } from '../i18n/i18n.ts';
import { exactName, joinPath, nameOfPath, parentOf, trashPlace } from '../opening/file-path.ts';
import { bareExtension, extensionsOf } from '../opening/file-type.ts';
import { ApiError } from '../session/api.ts';
import { readFacts, wholePath } from '../session/content-api.ts';
import { readPlaces, type ListBy } from '../session/files-api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { columnHeads, crumbTrail } from './file-strips.ts';
import { filesStyles } from './files-styles.ts';
import type { Listing } from './listing.ts';
import { folderListing } from './place.ts';
import { placeName } from './place-name.ts';
import { placesOf } from './places.ts';
import type { Selection } from './selection.ts';
import { pickerStyles } from './picker-styles.ts';
import { askReplace } from './svc-file-question.ts';
import './svc-folder.ts';
import type { Picks, SvcFolder } from './svc-folder.ts';

export interface PickRequest {
  readonly kind: 'open' | 'save' | 'folder';
  /** With or without the dot; []: every file. */
  readonly extensions: readonly string[];
  readonly several: boolean;
  /** Proposed for what is saved. */
  readonly name: string;
  /** Where it begins; null: in the home. */
  readonly place: string | null;
  /** The picker belongs to the desktop: no app gets access by it. */
  readonly isOwn?: boolean;
}

export class SvcFilePicker extends LitElement {
  static override properties = {
    desk: { attribute: false },
    who: {},
    request: { attribute: false },
    places: { state: true },
    at: { state: true },
    by: { state: true },
    chosen: { state: true },
    name: { state: true },
    problem: { state: true },
  };
  declare desk: FilesDesk;
  /** The name of the app's window. */
  declare who: string;
  declare request: PickRequest;
  declare places: PlacesAnswer | null;
  declare at: string;
  declare by: ListBy;
  declare chosen: readonly FileItem[];
  declare name: string;
  declare problem: string | null;
  answer: (items: readonly FileItem[] | null) => void = () => undefined;
  #watch = new Watch(this, () => [language, this.desk.preferences.state]);
  #listing: Listing | null = null;
  #picks: Picks | null = null;
  #ends: (() => void)[] = [];

  constructor() {
    super();
    this.places = null;
    this.at = '';
    this.by = { ordem: 'nome', inversa: false, ocultos: false };
    this.chosen = [];
    this.name = '';
    this.problem = null;
  }

  static override styles = [base, filesStyles, pickerStyles];

  override firstUpdated(): void {
    void this.#watch;
    this.name = this.request.name;
    this.#picks = picksFor(this.request);
    void this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#leave();
  }

  #leave(): void {
    this.#listing?.close();
    for (const end of this.#ends) end();
    this.#ends = [];
  }

  async #begin(): Promise<void> {
    try {
      this.places = await readPlaces();
      const { place } = this.request;
      const last = place === null ? null : await readFacts(await wholePath(place)).catch(() => null);
      if (!this.isConnected) return;
      this.#go(last?.tipo === 'pasta' ? last.caminho : this.places.casa);
      await this.updateComplete;
      const field = this.renderRoot.querySelector('ui-field');
      if (field === null) {
        await this.#folder?.drawn;
        this.#folder?.focusContent();
      } else {
        field.focus();
        field.setSelectionRange(0, Math.max(0, field.value.lastIndexOf('.')) || field.value.length);
      }
    } catch (error) {
      this.problem = sayError(error);
    }
  }

  get #folder(): SvcFolder | null {
    return this.renderRoot.querySelector<SvcFolder>('svc-folder');
  }

  #go(path: string): void {
    this.#leave();
    this.at = path;
    this.chosen = [];
    this.problem = null;
    const listing = folderListing(path, this.by);
    this.#listing = listing;
    this.#ends = [
      listing.state.subscribe(() => {
        const { problem } = listing.state.get();
        if (problem !== null) this.problem = sayError(problem);
        this.requestUpdate();
      }),
    ];
    listing.ensure(0, 1);
  }

  #change(by: Partial<ListBy>): void {
    this.by = { ...this.by, ...by };
    this.#go(this.at);
  }

  #end(items: readonly FileItem[] | null): void {
    this.answer(items);
  }

  #chose(items: readonly FileItem[]): void {
    this.chosen = items;
    const [item] = items;
    if (this.request.kind === 'save' && item?.tipo === 'arquivo') this.name = item.nome;
  }

  /** Runs the first button on the current choice. */
  async #accept(): Promise<void> {
    const { kind } = this.request;
    const [item] = this.chosen;
    try {
      if (kind === 'save') await this.#acceptName();
      else if (kind === 'folder') this.#end([item ?? (await readFacts(this.at))]);
      else if (this.chosen.length === 1 && item?.tipo === 'pasta') this.#go(item.caminho);
      else this.#end(this.chosen.filter(({ tipo }) => tipo === 'arquivo'));
    } catch (error) {
      this.problem = sayError(error);
    }
  }

  async #acceptName(): Promise<void> {
    const typed = this.name.trim();
    if (nameBytes(exactName(typed)) === null) {
      this.problem = text('picker.badName');
      return;
    }
    const [extension] = this.request.extensions;
    const fits = extension === undefined || matches(this.request.extensions, typed);
    const nome = fits ? typed : `${typed}.${bareExtension(extension) ?? ''}`;
    const caminho = joinPath(this.at, exactName(nome));
    const there = await readFacts(caminho).catch((error: unknown) => {
      if (error instanceof ApiError && error.code === 'NOT_FOUND') return null;
      throw error;
    });
    if (there?.tipo === 'pasta') {
      this.problem = text('picker.isFolder', { nome });
      return;
    }
    if (there !== null && !(await askReplace(nome))) return;
    this.#end([there ?? { nome, caminho, tipo: 'arquivo', bytes: 0, modificadoMs: 0, modo: 0, oculto: false, atalho: false }]);
  }

  /** Opened by a second click or Enter. */
  #opened(item: FileItem): void {
    if (this.#picks?.dims(item) === true) return;
    this.#chose([item]);
    void this.#accept();
  }

  #key(event: KeyboardEvent): void {
    const [inside] = event.composedPath();
    if (inside instanceof HTMLInputElement) return;
    const parent = parentOf(this.at);
    const isUp = event.key === 'Backspace' || (event.altKey && event.key === 'ArrowUp');
    if (isUp && parent !== null) this.#go(parent);
    else if (letterOf(event) === 'h' && event.ctrlKey) this.#change({ ocultos: !this.by.ocultos });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  override render(): TemplateResult {
    const { kind, several } = this.request;
    const title = kind === 'open' && several ? 'picker.openSeveral' : (`picker.${kind}` as const);
    return html`<form @submit=${(event: SubmitEvent) => (event.preventDefault(), void this.#accept())}>
      <ui-dialog
        open
        autofocus
        label=${text(title, { app: this.who })}
        @close=${() => this.#end(null)}
        @keydown=${(event: KeyboardEvent) => this.#key(event)}
        @go=${({ detail }: CustomEvent<string>) => this.#go(detail)}
      >
        <div class="inside">
          ${this.#way()}
          <section class="main">${this.#entries()}</section>
          ${this.problem === null ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
          ${kind === 'save' ? this.#nameField() : nothing}
          <p class="note">${this.request.isOwn === true ? '' : text('picker.given')} ${this.#onlyThese()}</p>
        </div>
        ${
          kind === 'open'
            ? nothing
            : html`<ui-button
                slot="actions"
                class="first"
                variant="quiet"
                ?disabled=${this.at === ''}
                @click=${() => this.#folder?.newFolder()}
                >${text('menu.newFolder')}</ui-button
              >`
        }
        <ui-button slot="actions" @click=${() => this.#end(null)}>${text('question.cancel')}</ui-button>
        <ui-button slot="actions" variant="primary" type="submit" ?disabled=${!this.#canAccept}>${text(`picker.${kind}It`)}</ui-button>
      </ui-dialog>
    </form>`;
  }

  get #canAccept(): boolean {
    if (this.request.kind === 'open') return this.chosen.length > 0;
    return this.at !== '' && (this.request.kind === 'folder' || this.name.trim() !== '');
  }

  #onlyThese(): string {
    const { extensions } = this.request;
    return extensions.length === 0
      ? ''
      : text('picker.only', { extensoes: extensions.map((each) => `.${bareExtension(each) ?? ''}`).join(', ') });
  }

  #way(): TemplateResult {
    const parent = this.at === '' ? null : parentOf(this.at);
    const places = placesOf(this.desk, this.places).flat();
    return html`<div class="way">
      <ui-select
        label=${text('files.places')}
        hide-label
        .value=${this.at}
        @change=${(event: Event) => this.#go((event.target as SvcUiSelect).value)}
      >
        ${places.some(({ path }) => path === this.at) ? nothing : html`<option value=${this.at}>${nameOfPath(this.at)}</option>`}
        ${places.filter(({ path }) => path !== trashPlace).map(({ path, name }) => html`<option value=${path}>${name}</option>`)}
      </ui-select>
      <ui-button
        icon
        variant="quiet"
        class="up"
        label=${text('picker.up')}
        title=${text('picker.up')}
        ?disabled=${parent === null}
        @click=${() => parent !== null && this.#go(parent)}
      >
        ${glyph('back')}
      </ui-button>
      ${
        this.at === ''
          ? nothing
          : crumbTrail(this.at, this.places?.casa ?? '/', {
              go: (path) => this.#go(path),
              type: () => undefined,
              over: () => undefined,
              drop: () => undefined,
            })
      }
    </div>`;
  }

  #entries(): TemplateResult | typeof nothing {
    const listing = this.#listing;
    if (listing === null || this.at === '') return nothing;
    return html`${columnHeads(this.by, false, true, (order) => this.#change(order))}
      ${listing.state.get().total === 0 ? html`<ui-empty>${text('picker.empty')}</ui-empty>` : nothing}
      <svc-folder
        .desk=${this.desk}
        .listing=${listing}
        .place=${this.at}
        .mode=${'lista'}
        .hiddenShown=${this.by.ocultos}
        .picks=${this.#picks}
        .label=${text('files.content', { nome: placeName(this.at, this.places?.casa ?? null) })}
        @choose-files=${({ detail }: CustomEvent<readonly FileItem[]>) => this.#chose(detail)}
        @pick-file=${({ detail }: CustomEvent<FileItem>) => this.#opened(detail)}
      ></svc-folder>`;
  }

  #nameField(): TemplateResult {
    return html`<ui-field
      label=${text('picker.name')}
      maxlength="255"
      spellcheck="false"
      autocomplete="off"
      .value=${this.name}
      @input=${(event: Event) => (this.name = (event.target as SvcUiField).value)}
    ></ui-field>`;
  }
}

customElements.define('svc-file-picker', SvcFilePicker);

function matches(extensions: readonly string[], name: string): boolean {
  const wanted = new Set(extensions.map((each) => bareExtension(each)));
  return extensionsOf(name).some((extension) => wanted.has(extension));
}

/** Folders can be gone into; files can be chosen where they are of the kind that is asked for. */
export function picksFor({ kind, extensions, several }: PickRequest): Picks {
  const dims = ({ tipo, nome }: Pick<FileItem, 'tipo' | 'nome'>): boolean =>
    tipo !== 'pasta' && (kind === 'folder' || tipo !== 'arquivo' || (extensions.length > 0 && !matches(extensions, nome)));
  const among = ({ chosen, focus, anchor }: Selection): Selection => {
    const fitting = [...chosen].filter(([, item]) => !dims(item));
    return { chosen: new Map(several ? fitting : fitting.slice(-1)), focus, anchor };
  };
  return { dims, among };
}

/** Null: put away, or `gone` was aborted. */
export async function pickFiles(
  desk: FilesDesk,
  who: string,
  request: PickRequest,
  gone: AbortSignal,
): Promise<readonly FileItem[] | null> {
  const element = Object.assign(new SvcFilePicker(), { desk, who, request });
  const answered = Promise.withResolvers<readonly FileItem[] | null>();
  element.answer = answered.resolve;
  gone.addEventListener('abort', () => answered.resolve(null), { once: true });
  document.body.append(element);
  try {
    return gone.aborted ? null : await answered.promise;
  } finally {
    element.remove();
  }
}
