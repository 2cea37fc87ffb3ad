/** The text of a version with what changed: since the version before it, or from it until now. Dispatches `gone` when there is no such version any more. */
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import '../../sdk/web/ui/checkbox.ts';
import '../../sdk/web/ui/empty.ts';
import type { RoomVersion } from '../../schema/wire/rooms.ts';
import { language, text } from '../i18n/i18n.ts';
import { ApiError } from '../session/api.ts';
import { readVersionText } from '../session/rooms-api.ts';
import { sayError } from '../session/say-error.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { noteStyles } from '../ui/piece-styles.ts';
import { differences, shortened, type Differences, type Stretch } from './differences.ts';
import { versionStyles } from './history-styles.ts';

/** Long enough for the largest document over a slow line. */
const textMsMax = 180_000;
const textsKeptMax = 6;

/** The youngest version changes while people write. */
const keyOf = ({ versao, ate }: RoomVersion): string => `${versao} ${ate}`;

type Shown = Differences & { readonly isCompared: boolean };

export class SvcVersion extends LitElement {
  static override properties = {
    sala: { attribute: false },
    version: { attribute: false },
    older: { attribute: false },
    youngest: { attribute: false },
    untilNow: { state: true },
    shown: { state: true },
    problem: { state: true },
  };
  declare sala: string;
  declare version: RoomVersion;
  /** The version before it; null: it is the oldest. */
  declare older: RoomVersion | null;
  /** The document as it is now. */
  declare youngest: RoomVersion;
  declare untilNow: boolean;
  /** Null while it is fetched. */
  declare shown: Shown | null;
  declare problem: string | null;
  #watch = new Watch(this, () => [language]);
  readonly #texts = new Map<string, string>();
  /** Versions that are shown or fetched. */
  #pair = '';
  #fetching = new AbortController();

  constructor() {
    super();
    this.untilNow = false;
    this.shown = null;
    this.problem = null;
  }

  static override styles = [base, noteStyles, versionStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#fetching.abort();
    this.#pair = '';
  }

  get #isYoungest(): boolean {
    return this.version.versao === this.youngest.versao;
  }

  /** The texts that are compared, the one before first. */
  get #compared(): readonly RoomVersion[] {
    if (this.untilNow && !this.#isYoungest) return [this.version, this.youngest];
    return this.older === null ? [this.version] : [this.older, this.version];
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!(['version', 'older', 'youngest', 'untilNow'] as const).some((name) => changed.has(name))) return;
    const compared = this.#compared;
    const pair = compared.map(keyOf).join();
    if (pair === this.#pair) return;
    this.#pair = pair;
    // While people write, what was seen stays until the text of now is there.
    if (changed.get('version')?.de !== this.version.de || changed.has('untilNow')) this.shown = null;
    void this.#show(compared);
  }

  async #show(compared: readonly RoomVersion[]): Promise<void> {
    this.#fetching.abort();
    const fetching = new AbortController();
    this.#fetching = fetching;
    this.problem = null;
    try {
      const [one = '', other] = await Promise.all(compared.map((version) => this.#textOf(version)));
      if (fetching.signal.aborted) return;
      const found = other === undefined ? { stretches: [{ kind: 'same', text: one } as const], by: null } : differences(one, other);
      this.shown = { ...found, stretches: shortened(found.stretches), isCompared: other !== undefined };
    } catch (error) {
      if (fetching.signal.aborted) return;
      this.#pair = '';
      if (error instanceof ApiError && error.status === 404) this.dispatchEvent(new Event('gone'));
      else this.problem = sayError(error);
    }
  }

  async #textOf(version: RoomVersion): Promise<string> {
    const key = keyOf(version);
    const kept = this.#texts.get(key);
    if (kept !== undefined) return kept;
    const ends = AbortSignal.any([this.#fetching.signal, AbortSignal.timeout(textMsMax)]);
    const found = await readVersionText(this.sala, version.versao, ends);
    this.#texts.set(key, found);
    for (const old of [...this.#texts.keys()].slice(0, -textsKeptMax)) this.#texts.delete(old);
    return found;
  }

  override render(): TemplateResult {
    const { shown, problem } = this;
    return html`${
        this.#isYoungest
          ? nothing
          : html`<ui-switch
              label=${text('history.compareNow')}
              .checked=${this.untilNow}
              @change=${({ target }: Event) => (this.untilNow = (target as SvcUiCheckbox).checked)}
            ></ui-switch>`
      }
      <div class="facts" role="status">${problem !== null ? nothing : shown === null ? text('history.loading') : this.#facts(shown)}</div>
      ${problem === null ? nothing : html`<p class="problem" role="alert">${problem}</p>`} ${shown === null ? nothing : this.#text(shown)}`;
  }

  #facts({ stretches, by, isCompared }: Shown): TemplateResult {
    if (!isCompared) return html`<span>${text('history.oldest')}</span>`;
    if (by === null) return html`<span>${text('history.tooDifferent')}</span>`;
    const count = (kind: Stretch['kind']): number => stretches.filter((stretch) => stretch.kind === kind).length;
    const [mais, menos] = [count('added'), count('removed')];
    if (mais + menos === 0) return html`<span>${text('history.same')}</span>`;
    const isUntilNow = this.untilNow && !this.#isYoungest;
    return html`<span
        >${text(isUntilNow ? 'history.untilNow' : 'history.sinceBefore')}
        <span aria-hidden="true"><ins>${text('history.added')}</ins> <del>${text('history.removed')}</del></span></span
      >
      <span>${text('history.changes', { mais, menos })}</span>
      ${by === 'lines' ? html`<span>${text('history.byLines')}</span>` : nothing}`;
  }

  #text({ stretches }: Shown): TemplateResult {
    if (stretches.length === 0) return html`<ui-empty>${text('history.noText')}</ui-empty>`;
    // On one line: spaces count.
    return html`<div class="text" role="region" aria-label=${text('history.text')} tabindex="0">${stretches.map(drawn)}</div>`;
  }
}

const ends = html`<span class="sr-only">]</span>`;

function drawn(stretch: Stretch): TemplateResult | string {
  if (stretch.kind === 'same') return stretch.text;
  if (stretch.kind === 'gap') return html`<span class="gap">${text('history.gap', { n: stretch.chars })}</span>`;
  // An end of a line that came or went alone would not be seen.
  const words = stretch.text.trim() === '' ? stretch.text.replaceAll('\n', '↵\n') : stretch.text;
  const begins = html`<span class="sr-only">[${text(`history.${stretch.kind}`)}: </span>`;
  return stretch.kind === 'added' ? html`<ins>${begins}${words}${ends}</ins>` : html`<del>${begins}${words}${ends}</del>`;
}

customElements.define('svc-version', SvcVersion);
