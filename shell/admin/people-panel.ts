/** People with their state and sessions; makes a link for one, and signs one out everywhere. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/field.ts';
import '../../sdk/web/ui/select.ts';
import type { ObjectView } from '../../schema/wire/http.ts';
import type { OwnFileAnswer } from '../../schema/wire/own-file.ts';
import { reasonText } from '../../schema/texts/reasons.ts';
import { folded } from '../../sdk/web/ui/type-ahead.ts';
import { language, relativeTime, shownAs, text, type TextKey } from '../i18n/i18n.ts';
import { endSessionsOf, makeLink, readAllSessions, readObjects } from '../session/admin-api.ts';
import { sayError } from '../session/say-error.ts';
import { copyWords } from '../shop/copy.ts';
import { Polled } from '../state/polled.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { glyph } from '../ui/glyphs.ts';
import { attempt } from '../windows/attempt.ts';
import type { Shell } from '../windows/shell.ts';
import { begin } from './changes.ts';
import { doOne } from './doing.ts';
import { adminPanelStyles } from './styles.ts';

/** All of them are read each time. */
const refreshMs = 30_000;
/** After a change of the file the loop needs a moment. */
const soonMs = 1_000;
const soonMax = 20;
/** More are found by their name. */
const shownMax = 200;

/** Hours that a link may live. */
const lives = [
  [1, 'admin.linkHour'],
  [24, 'admin.linkDay'],
  [72, 'admin.linkDays'],
  [168, 'admin.linkWeek'],
] as const satisfies readonly (readonly [number, TextKey])[];

interface Row extends ObjectView {
  readonly sessions: number;
  /** When one of their sessions was seen last; null: they have none. */
  readonly lastMs: number | null;
}

interface NewLink {
  readonly person: string;
  readonly link: string;
  readonly expiresAtMs: number;
}

async function readPeople(): Promise<readonly Row[]> {
  const [people, all] = await Promise.all([readObjects('Person'), readAllSessions()]);
  const sessions = Map.groupBy(all, ({ person }) => person);
  return people.map((person) => {
    const own = sessions.get(person.name) ?? [];
    const lastMs = own.length === 0 ? null : Math.max(...own.map(({ seenAtMs }) => seenAtMs));
    return Object.assign({}, person, { sessions: own.length, lastMs });
  });
}

export class SvcAdminPeople extends LitElement {
  static override properties = {
    desk: { attribute: false },
    own: { attribute: false },
    query: { state: true },
    made: { state: true },
    hours: { state: true },
    trouble: { state: true },
    busy: { state: true },
  };
  declare desk: Shell;
  declare own: OwnFileAnswer | null;
  declare query: string;
  /** The link that was made last. It is nowhere else: the portal keeps its hash alone. */
  declare made: NewLink | null;
  /** Life of the next link. */
  declare hours: number;
  declare trouble: string | null;
  declare busy: boolean;
  #watch = new Watch(this, () => [language]);
  #people = new Polled(this, refreshMs, readPeople);

  constructor() {
    super();
    this.query = '';
    this.made = null;
    this.hours = 24;
    this.trouble = null;
    this.busy = false;
  }

  static override styles = [base, adminPanelStyles];

  override firstUpdated(): void {
    void this.#watch;
  }

  /** The row that was acted on may be gone. */
  focusStart(): void {
    this.renderRoot.querySelector<HTMLElement>('ui-field')?.focus();
  }

  /** Until the list has the person, or has them no more. */
  async follow(name: string, isThere: boolean): Promise<void> {
    for (let nth = 0; nth < soonMax && this.isConnected; nth += 1) {
      await this.#people.ask();
      if (this.#people.value?.some((person) => person.name === name) === isThere) return;
      await new Promise((resolve) => setTimeout(resolve, soonMs));
    }
  }

  async #link(person: string): Promise<void> {
    await doOne(this, async () => {
      this.made = await makeLink(person, this.hours);
    });
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>('[data-link] ui-button')?.focus();
  }

  async #signOut(person: string): Promise<void> {
    await doOne(this, async () => {
      await endSessionsOf(person);
      await this.#people.ask();
    });
    // The button that was pressed is off now.
    this.focusStart();
  }

  override render(): TemplateResult {
    const { value, problem } = this.#people;
    const trouble = this.trouble ?? (problem === null ? null : sayError(problem));
    const found = (value ?? []).filter(({ name }) => folded(name).includes(folded(this.query.trim())));
    return html`
      ${trouble === null ? nothing : html`<p class="note" role="alert">${glyph('warning')}<span>${trouble}</span></p>`}
      <p class="lines">
        <ui-button ?disabled=${this.own === null || this.own.managed !== null} @click=${() => begin(this, { kind: 'person' })}>
          ${text('admin.addPerson')}
        </ui-button>
      </p>
      <ui-field
        type="search"
        label=${text('admin.findPerson')}
        autocomplete="off"
        .value=${this.query}
        @input=${(event: Event) => (this.query = (event.target as SvcUiField).value)}
      ></ui-field>
      <ui-select
        label=${text('admin.linkLife')}
        .value=${String(this.hours)}
        @change=${(event: Event) => (this.hours = Number((event.currentTarget as SvcUiSelect).value))}
      >
        ${lives.map(([hours, key]) => html`<option value=${hours}>${text(key)}</option>`)}
      </ui-select>
      <p class="quiet" role="status">
        ${value === null ? (problem === null ? text('admin.asking') : '') : text('admin.peopleFound', { n: found.length })}
      </p>
      <ul aria-label=${text('admin.people')}>
        ${repeat(
          found.slice(0, shownMax),
          ({ key }) => key,
          (person) => this.#row(person),
        )}
      </ul>
      ${found.length > shownMax ? html`<p class="quiet">${text('admin.more', { n: found.length - shownMax })}</p>` : nothing}
    `;
  }

  #row({ name, state, reason, sessions, lastMs }: Row): TemplateResult {
    const isBad = state === 'missing' || state === 'closed' || state === 'unknown';
    const facts = [
      reasonText(reason, language.get()),
      ...(sessions === 0 ? [] : [text('admin.sessions', { n: sessions })]),
      ...(lastMs === null ? [] : [text('sessions.seen', { quando: relativeTime(lastMs, Date.now()) })]),
    ];
    return html`<li data-person=${name}>
      <span class="main"
        ><strong>${name}</strong>
        <p class=${isBad ? 'bad' : ''}>${facts.join(' · ')}</p></span
      >
      <span class="acts">
        <ui-button label=${text('admin.linkFor', { nome: name })} ?disabled=${this.busy} @click=${() => void this.#link(name)}>
          ${text('admin.link')}
        </ui-button>
        <ui-button
          label=${text('admin.signOutOf', { nome: name })}
          ?disabled=${this.busy || sessions === 0 || name === this.desk.session.usuario}
          @click=${() => void this.#signOut(name)}
        >
          ${text('admin.signOut')}
        </ui-button>
        <ui-button
          label=${text('admin.removeOne', { nome: name })}
          ?disabled=${this.own?.managed !== null || name === this.desk.session.usuario}
          @click=${() => begin(this, { kind: 'remove', of: 'Person', name })}
        >
          ${text('admin.remove')}
        </ui-button>
      </span>
      ${this.made?.person === name ? this.#made(this.made) : nothing}
    </li>`;
  }

  #made({ person, link, expiresAtMs }: NewLink): TemplateResult {
    const until = new Date(expiresAtMs).toLocaleString(shownAs(), {
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      hour: '2-digit',
      minute: '2-digit',
    });
    const invitation = text('admin.invitation', { portal: location.host, nome: person, hora: until, link });
    return html`<div class="wide lines" data-link>
      <p class="wide quiet">${text('admin.linkOnce', { hora: until })}</p>
      <code class="main">${link}</code>
      <ui-button icon variant="quiet" label=${text('admin.copyLink')} @click=${() => attempt(this.desk, () => copyWords(link))}>
        ${glyph('copy')}
      </ui-button>
      <ui-button @click=${() => attempt(this.desk, () => copyWords(invitation))}>${text('admin.copyInvitation')}</ui-button>
    </div>`;
  }
}

customElements.define('svc-admin-people', SvcAdminPeople);
