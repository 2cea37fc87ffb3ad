/** The tabs of a window, in its title bar. The page is asked for what is closed and for a new one, and told of the rest; a tab has a menu of its own. */
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { live } from 'lit/directives/live.js';
import { repeat } from 'lit/directives/repeat.js';
import '../../sdk/web/ui/button.ts';
import '../../sdk/web/ui/tabs.ts';
import type { Tab } from '../../schema/bridge/tab-verbs.ts';
import type { TabsDesk } from './tabs.ts';
import { language, text } from '../i18n/i18n.ts';
import { Watch } from '../state/signal.ts';
import { base } from '../ui/base.ts';
import { shieldWhileCaptured } from '../windows/window-drag.ts';
import { glyph } from '../ui/glyphs.ts';
import { openMenu } from '../ui/menu.ts';
import { askForNew, askToClose, reorderTabs, selectTab, tabCommands } from './tab-actions.ts';
import { tabStyles } from './tab-styles.ts';
import type { WindowTabs } from './tabs.ts';

/** The title bar is dragged, and takes a double click, beside what is in it only. */
function keepFromTitle(event: Event): void {
  if (event.composedPath().some((each) => each instanceof Element && each.matches('ui-tab, button'))) event.stopPropagation();
}

export class SvcTabs extends LitElement {
  static override properties = {
    desk: { attribute: false },
    window: { attribute: false },
    now: { attribute: false },
    label: { attribute: false },
  };
  declare desk: TabsDesk;
  /** Id of the window. */
  declare window: string;
  declare now: WindowTabs;
  /** Name of the window. */
  declare label: string;
  #watch = new Watch(this, () => [language]);

  static override styles = [base, tabStyles];

  override connectedCallback(): void {
    super.connectedCallback();
    void this.#watch;
  }

  /** Pages are covered from the press on: `gotpointercapture` comes with the next movement, which a page gets where it is as far as that. */
  #pressed(event: PointerEvent): void {
    keepFromTitle(event);
    if (event.composedPath().some((each) => each instanceof Element && each.matches('ui-tab') && each.hasPointerCapture(event.pointerId)))
      shieldWhileCaptured(this.desk);
  }

  #close(id: string): void {
    const tab = this.now.tabs.find((each) => each.id === id);
    if (tab !== undefined) askToClose(this.desk, this.window, tab);
  }

  #moved(event: CustomEvent<{ readonly values: readonly string[] }>): void {
    event.preventDefault();
    reorderTabs(this.desk, this.window, event.detail.values);
  }

  #menu(event: MouseEvent, tab: Tab): void {
    event.preventDefault();
    event.stopPropagation();
    const of = event.currentTarget as HTMLElement;
    const { left, bottom } = of.getBoundingClientRect();
    openMenu(text('tabs.menu', { titulo: tab.titulo }), [tabCommands(this.desk, this.window, this.now, tab)], {
      x: left,
      y: bottom + 2,
      of,
    });
  }

  override render(): TemplateResult {
    const { tabs, active, canAdd } = this.now;
    return html`<ui-tabs
      manual
      movable
      label=${text('tabs.of', { titulo: this.label })}
      .value=${live(active ?? '')}
      @change=${({ detail }: CustomEvent<{ readonly value: string }>) => selectTab(this.desk, this.window, detail.value)}
      @close=${({ detail }: CustomEvent<{ readonly value: string }>) => this.#close(detail.value)}
      @move=${(event: CustomEvent<{ readonly values: readonly string[] }>) => this.#moved(event)}
      @pointerdown=${(event: PointerEvent) => this.#pressed(event)}
      @dblclick=${keepFromTitle}
    >
      ${repeat(
        tabs,
        ({ id }) => id,
        (tab) =>
          html`<ui-tab
            panel=${tab.id}
            title=${tab.titulo}
            ?closable=${tab.fechavel !== false}
            @contextmenu=${(event: MouseEvent) => this.#menu(event, tab)}
            >${tab.titulo}</ui-tab
          >`,
      )}
      ${
        canAdd
          ? html`<ui-button
              slot="end"
              icon
              variant="quiet"
              title=${text('tabs.new')}
              label=${text('tabs.new')}
              @click=${() => askForNew(this.desk, this.window)}
              >${glyph('plus', 16)}</ui-button
            >`
          : nothing
      }
    </ui-tabs>`;
  }
}

customElements.define('svc-tabs', SvcTabs);
