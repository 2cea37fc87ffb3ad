/** Menus of the shell at a point: the kit's, filled from a list. Only one is open at a time; the focus goes back to where it was. */
import { html, nothing, render, type TemplateResult } from 'lit';
import type { AppProjection } from '../../schema/wire/http.ts';
import { deepActive } from '../../sdk/web/ui/deep-active.ts';
import { around } from '../../sdk/web/ui/menu-end.ts';
import '../../sdk/web/ui/menu.ts';
import './app-icon.ts';
import { glyph, type Glyph } from './glyphs.ts';

export interface MenuItem {
  readonly label: string;
  readonly glyph?: Glyph;
  readonly disabled?: boolean;
  /** Whether this choice of several is the current one; undefined for a plain command. */
  readonly checked?: boolean;
  /** Goes on and off by itself. */
  readonly on?: boolean;
  readonly keys?: string;
  /** The owner of the entry, in smaller letters. */
  readonly detail?: string;
  /** Its picture. */
  readonly app?: Pick<AppProjection, 'id' | 'name' | 'icone'>;
  /** A menu of its own opens beside it; `run` is not called. */
  readonly items?: readonly MenuItem[];
  run(): void;
}
/** Groups are drawn with a line between them; a group may have a heading. */
export interface MenuGroup {
  readonly heading?: string;
  readonly items: readonly MenuItem[];
}
/** It opens below the point, above it where there is no room. */
export interface MenuPlace {
  readonly x: number;
  readonly y: number;
  /** The menu closes when this is gone, hidden or scrolled. */
  readonly of?: Element | null;
}

function entry(item: MenuItem): TemplateResult {
  const picture = item.app === undefined ? item.glyph : html`<svc-app-icon slot="start" .app=${item.app} .size=${20}></svc-app-icon>`;
  const run = (event: Event): void => {
    event.stopPropagation();
    item.run();
  };
  return html`<ui-menu-item
    type=${item.on !== undefined ? 'checkbox' : item.checked === undefined ? 'command' : 'radio'}
    ?checked=${item.on ?? item.checked}
    ?disabled=${item.disabled}
    detail=${item.detail ?? nothing}
    keys=${item.keys ?? nothing}
    @choose=${run}
    >${item.label}${typeof picture === 'string' ? html`<span slot="start">${glyph(picture)}</span>` : picture}${
      item.items === undefined ? nothing : html`<ui-menu label=${item.label}>${item.items.map(entry)}</ui-menu>`
    }</ui-menu-item
  >`;
}

/** Landmarks of the desktop: the area of the windows, and the taskbar. */
const landmarks = 'main, [data-landmark]';

/** The menu that is open, or opens in this turn. */
let opened: SvcUiMenu | null = null;

/**
 * An open modal dialog takes what is beside it out of use: a menu of something in it is in it, too. Any other menu is in the landmark of what it is
 * of, where a screen reader looks for it.
 */
function homeOf(of: Element | null): Element {
  for (const element of of === null ? [] : around(of)) {
    if (element.matches(landmarks)) return element;
    if (!(element instanceof HTMLDialogElement) || !element.matches(':modal')) continue;
    const root = element.getRootNode();
    return root instanceof ShadowRoot ? root.host : element;
  }
  return document.body;
}

export function openMenu(label: string, groups: readonly MenuGroup[], { x, y, of = null }: MenuPlace): SvcUiMenu {
  opened?.remove();
  const menu = document.createElement('ui-menu');
  opened = menu;
  menu.label = label;
  const filled = groups.filter(({ items }) => items.length > 0);
  render(
    filled.map(
      ({ heading, items }, at) =>
        html`${at === 0 ? nothing : html`<hr />`}<ui-menu-group heading=${heading ?? nothing}>${items.map(entry)}</ui-menu-group>`,
    ),
    menu,
  );
  menu.addEventListener('close', () => menu.remove());
  homeOf(of ?? deepActive()).append(menu);
  void menu.updateComplete.then(() => menu.showAt(x, y, of));
  return menu;
}

export const closeMenu = (): void => opened?.close();

/** The key of menus, and Shift+F10, which every keyboard has. */
export const isMenuKey = ({ key, shiftKey }: KeyboardEvent): boolean => key === 'ContextMenu' || (key === 'F10' && shiftKey);
