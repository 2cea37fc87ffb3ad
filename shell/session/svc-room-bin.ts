/** Deleted rooms of the person: taken out of the bin, or deleted for good in two presses. In Settings. */
import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import type { BinnedRoomView } from '../../schema/wire/rooms.ts';
import { language, shownAs, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { eraseRoom, listBinnedRooms, recoverRoom } from './rooms-api.ts';
import { sayError } from './say-error.ts';

const day = (atMs: number): string => new Intl.DateTimeFormat(shownAs(), { dateStyle: 'medium' }).format(atMs);

export class SvcRoomBin extends LitElement {
  static override properties = {
    nameOf: { attribute: false },
    rows: { state: true },
    asked: { state: true },
    problem: { state: true },
    done: { state: true },
    busy: { state: true },
  };
  /** Name of an app, as the desktop shows it. */
  declare nameOf: (app: string) => string;
  /** Null until they were read. */
  declare rows: readonly BinnedRoomView[] | null;
  /** Id of the room whose deletion waits for a second press. */
  declare asked: string | null;
  declare problem: string | null;
  /** The last act, for a screen reader too. */
  declare done: string;
  declare busy: boolean;
  #watch = new Watch(this, () => [language]);

  constructor() {
    super();
    this.nameOf = (app) => app;
    this.rows = null;
    this.asked = null;
    this.problem = null;
    this.done = '';
    this.busy = false;
  }

  static override styles = [
    base,
    css`
      .lead,
      .done,
      .problem {
        padding: 8px 0;
        color: var(--muted);
      }
      .problem {
        color: var(--danger);
      }
      li {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: 4px 8px;
        padding: 12px 0;
      }
      li + li {
        border-top: 1px solid var(--line);
      }
      .what {
        flex: 1 1 200px;
        min-width: 0;
        overflow-wrap: anywhere;
      }
      .what p {
        color: var(--muted);
        font-size: 13px;
        line-height: 1.5;
      }
    `,
  ];

  override firstUpdated(): void {
    void this.#watch;
    void this.#act(async () => '');
  }

  /** Carries it out, says what it answers, and reads the list again. */
  async #act(act: () => Promise<string>): Promise<void> {
    this.busy = true;
    this.problem = null;
    this.asked = null;
    try {
      this.done = await act();
      this.rows = await listBinnedRooms();
    } catch (error) {
      this.problem = text('tasks.error', { erro: sayError(error) });
    }
    this.busy = false;
    if (this.done === '') return;
    // The button that was pressed is gone.
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('.lead')?.focus();
  }

  override render(): TemplateResult {
    const { rows } = this;
    return html`
      ${this.problem === null ? nothing : html`<p class="problem" role="alert">${this.problem}</p>`}
      <p class="lead" tabindex="-1">${rows?.length === 0 ? text('bin.empty') : text('bin.lead')}</p>
      <p class="done" role="status">${this.done}</p>
      <ul aria-busy=${rows === null}>
        ${repeat(
          rows ?? [],
          ({ id }) => id,
          (row) => this.#row(row),
        )}
      </ul>
    `;
  }

  #row({ id, nome, app, apagadaEm, ate }: BinnedRoomView): TemplateResult {
    const facts = [this.nameOf(app), text('bin.since', { dia: day(apagadaEm) }), text('bin.until', { dia: day(ate) })].join(' · ');
    const recover = (): void => void this.#act(async () => (await recoverRoom(id), text('bin.recovered', { sala: nome })));
    const erase = (): void => void this.#act(async () => (await eraseRoom(id), text('bin.erased', { sala: nome })));
    return html`<li>
      <div class="what">
        <strong>${nome}</strong>
        <p>${this.asked === id ? text('bin.eraseAsk') : facts}</p>
      </div>
      ${
        this.asked === id
          ? html`<ui-button ?disabled=${this.busy} @click=${() => (this.asked = null)}>${text('share.cancel')}</ui-button>
              <ui-button variant="danger" ?disabled=${this.busy} label=${text('bin.eraseSureOf', { sala: nome })} @click=${erase}>
                ${text('bin.eraseSure')}
              </ui-button>`
          : html`<ui-button ?disabled=${this.busy} label=${text('bin.recoverOf', { sala: nome })} description=${facts} @click=${recover}>
                ${text('bin.recover')}
              </ui-button>
              <ui-button ?disabled=${this.busy} label=${text('bin.eraseOf', { sala: nome })} @click=${() => (this.asked = id)}>
                ${text('bin.erase')}
              </ui-button>`
      }
    </li>`;
  }
}

customElements.define('svc-room-bin', SvcRoomBin);
