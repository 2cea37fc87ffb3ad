/**
 * The folder of the desktop (`~/Desktop`, or what XDG says) on the desktop itself, where the account has one: its entries as icons, with all that a
 * window of files does to them. Loaded behind the apps. The account's server may be away: what can't be read is left as it is, and is looked for again.
 */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { attempt } from '../windows/attempt.ts';
import type { FilesDesk } from './desk-acts.ts';
import { language, text } from '../i18n/i18n.ts';
import { nameOfPath } from '../opening/file-path.ts';
import { isPassing } from '../session/api.ts';
import { readDeskFolder } from '../session/files-api.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import type { MenuGroup, MenuPlace } from '../ui/menu.ts';
import { actsOf } from './desk-acts.ts';
import { allowDrop, takeDrop } from './file-drags.ts';
import type { Listing } from './listing.ts';
import { folderListing } from './place.ts';
import './svc-file-tasks.ts';
import './svc-folder.ts';
import type { SvcFolder } from './svc-folder.ts';

const againMs = 30_000;
const cellPx = 112;
/** So many are shown without a scroll bar of their own. */
const whole = 120;

export class SvcDeskFiles extends LitElement {
  static override properties = {
    desk: { attribute: false },
    others: { attribute: false },
    folder: { state: true },
    total: { state: true },
  };
  declare desk: FilesDesk;
  /** Further groups of the menu of the background. */
  declare others: readonly MenuGroup[];
  /** '' while there is none, or it is not known. */
  declare folder: string;
  declare total: number;
  #listing: Listing | null = null;
  #ends: (() => void)[] = [];
  #again: ReturnType<typeof setTimeout> | undefined;
  #observer = new ResizeObserver(() => this.#fit());

  constructor() {
    super();
    this.others = [];
    this.folder = '';
    this.total = 0;
  }

  static override styles = [
    base,
    css`
      :host {
        display: block;
      }
      svc-folder {
        height: var(--all-rows);
        max-height: 100%;
        --hover: var(--wall-hover);
        /* Where all of it is shown the desktop is scrolled over it. */
        --overscroll: auto;
      }
    `,
  ];

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer.observe(this);
    void this.#begin();
  }

  /** The element may have been in the document before this part was loaded: what it was given comes with its first update. */
  override firstUpdated(): void {
    void new Watch(this, () => [language, actsOf(this.desk).tasks.state]);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.#again);
    this.#observer.disconnect();
    this.#listing?.close();
    for (const end of this.#ends) end();
    this.#ends = [];
  }

  async #begin(): Promise<void> {
    const again = (): void => void (this.#again = setTimeout(() => void this.#begin(), againMs));
    try {
      const { pasta, passa } = await readDeskFolder();
      if (!this.isConnected) return;
      if (pasta !== null) this.#show(pasta);
      else if (passa) again();
    } catch (error) {
      if (this.isConnected && isPassing(error)) again();
    }
  }

  #show(path: string): void {
    const listing = folderListing(path, { ordem: 'nome', inversa: false, ocultos: false });
    this.#listing = listing;
    this.#ends = [listing.state.subscribe(() => (this.total = listing.state.get().total ?? 0))];
    listing.ensure(0, 1);
    this.folder = path;
  }

  /** Whether there is a folder to put things in. */
  get isThere(): boolean {
    return this.folder !== '';
  }

  openGroundMenu(place: MenuPlace): void {
    this.renderRoot.querySelector<SvcFolder>('svc-folder')?.openGroundMenu(place);
  }

  allow(event: DragEvent): void {
    if (this.isThere) allowDrop(event);
  }
  take(event: DragEvent): void {
    if (this.isThere) takeDrop(this.desk, actsOf(this.desk), event, this.folder);
  }

  override updated(): void {
    this.toggleAttribute('there', this.isThere);
    // A failed act stays shown until the person read it, also in a folder with nothing left.
    this.toggleAttribute('filled', this.total > 0 || actsOf(this.desk).tasks.state.get().length > 0);
    this.#fit();
  }

  #fit(): void {
    const pane = this.renderRoot.querySelector<HTMLElement>('svc-folder');
    const columns = Math.max(1, Math.floor(this.clientWidth / cellPx));
    const rows = Math.ceil(Math.min(this.total, whole) / columns);
    pane?.style.setProperty('--all-rows', `${rows * cellPx}px`);
  }

  override render(): TemplateResult | typeof nothing {
    if (this.#listing === null) return nothing;
    return html`<svc-folder
        .desk=${this.desk}
        .listing=${this.#listing}
        .place=${this.folder}
        .label=${text('files.onDesktop')}
        .groundLabel=${text('menu.desktop')}
        .others=${this.others}
        ?hidden=${this.total === 0}
        @go=${({ detail: caminho }: CustomEvent<string>) =>
          attempt(this.desk, () => this.desk.openFile({ caminho, nome: nameOfPath(caminho), isFolder: true }))}
      ></svc-folder>
      <svc-file-tasks .tasks=${actsOf(this.desk).tasks}></svc-file-tasks>`;
  }
}

customElements.define('svc-desk-files', SvcDeskFiles);
