/** Contents of the shell's own windows. Windows with large libraries load them when first opened. */
import { html, type TemplateResult } from 'lit';
import type { Desk } from '../desktop/desk.ts';
import {
  devWindow,
  editorWindow,
  filesWindow,
  queueWindow,
  settingsWindow,
  shopWindow,
  terminalWindow,
  viewerWindow,
} from '../desktop/desk-windows.ts';
import { part } from '../session/part.ts';
import { createSignal } from '../state/signal.ts';
import { loadPart } from './load-part.ts';
import type { WindowState } from './manager.ts';

/** Whether what own-windows.ts brings is here: before, its elements would be given what they can't take yet. */
export const ownWindows = createSignal(false);

export async function fetchOwnWindows(): Promise<void> {
  await part('own-windows', () => import('./own-windows.ts'));
  ownWindows.set(true);
}

export function builtinContent(desk: Desk, { app: window, id, route }: WindowState): TemplateResult {
  if (window === devWindow) {
    loadPart(desk, 'svc-dev', () => part('svc-dev', () => import('../dev/svc-dev.ts')));
    return html`<svc-dev class="builtin" .desk=${desk}></svc-dev>`;
  }
  if (window === terminalWindow) {
    loadPart(desk, 'svc-terminal', () => part('svc-terminal', () => import('../terminal/svc-terminal.ts')));
    return html`<svc-terminal class="builtin" .desk=${desk}></svc-terminal>`;
  }
  if (window === editorWindow) {
    loadPart(desk, 'svc-editor', () => part('svc-editor', () => import('../editor/svc-editor.ts')));
    return html`<svc-editor class="builtin" .desk=${desk} .window=${id} .path=${route}></svc-editor>`;
  }
  if (window === viewerWindow) {
    loadPart(desk, 'svc-viewer', () => part('svc-viewer', () => import('../viewer/svc-viewer.ts')));
    return html`<svc-viewer class="builtin" .desk=${desk} .window=${id} .path=${route}></svc-viewer>`;
  }
  if (window === filesWindow) {
    loadPart(desk, 'svc-files', () => part('svc-files', () => import('../files/svc-files.ts')));
    return html`<svc-files class="builtin" .desk=${desk} .window=${id} .path=${route}></svc-files>`;
  }
  if (!ownWindows.get()) {
    loadPart(desk, 'svc-task-manager', fetchOwnWindows);
    return html``;
  }
  if (window === shopWindow) return html`<svc-shop .desk=${desk}></svc-shop>`;
  if (window === settingsWindow) return html`<svc-settings .desk=${desk}></svc-settings>`;
  if (window === queueWindow) return html`<svc-queue .desk=${desk}></svc-queue>`;
  return html`<svc-task-manager .desk=${desk}></svc-task-manager>`;
}

/** Gives the focus to the content of the window, if it is there and has a place for it. */
export function focusBuiltin(root: ParentNode): void {
  root.querySelector<HTMLElement & { focusContent?: () => void }>('.builtin')?.focusContent?.();
}
