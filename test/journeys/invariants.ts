/**
 * Invariants after every act of a person on the desktop, whatever the act was. Each breach is one line, which names the rule first.
 * Decision: docs/decisions/0329-the-invariants-of-a-desktop.md
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { lookAtShell, type ShellLook } from './look-at-shell.ts';
import { soonMs } from './until.ts';

const examples = path.resolve(import.meta.dirname, '../../examples/apps');
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Where the focus may be after the act. `anywhere`: after a press beside all windows, and while nothing is open. `front`: in the window in front, of
 * which a person may have pushed that part over the edge. `shown`: a key brought it there, so it can be seen.
 */
export type FocusRule = 'shown' | 'front' | 'anywhere';

export interface Looked {
  readonly found: readonly string[];
  /** Kinds of parts that were open. */
  readonly surface: string;
}

/** Breaches on the shell's page, now. */
async function breaches(page: Page, focus: FocusRule): Promise<Looked> {
  const look = await page.evaluate(lookAtShell);
  const isAsked = focus !== 'anywhere' && !(look.focus.window?.isFront === false && (await frontPageHasFocus(page)));
  const found = [...breachesOfLook(look), ...(isAsked ? breachesOfFocus(look, focus) : []), ...breachesOfText(look)];
  return { found, surface: look.surface };
}

/**
 * Whether the page of the app in front has the keyboard by its own word. Chromium tells the shell's document late, when the page of a
 * window behind was in the same process: `document.activeElement` then names that window, and the keys go to the one in front.
 */
async function frontPageHasFocus(page: Page): Promise<boolean> {
  for (const element of await page.locator('svc-window[top] iframe').elementHandles()) {
    const frame = await element.contentFrame();
    if ((await frame?.evaluate(() => document.hasFocus()).catch(() => false)) === true) return true;
  }
  return false;
}

/** The same, once they last: a window that is still being drawn is no breach. Resolves as soon as there is none. */
export async function lastingBreaches(page: Page, focus: FocusRule = 'front', msMax = soonMs): Promise<Looked> {
  const endMs = performance.now() + msMax;
  for (;;) {
    const looked = await breaches(page, focus);
    if (looked.found.length === 0 || performance.now() > endMs) return looked;
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50))));
  }
}

function breachesOfLook({ scrolled, page, menus, titles, area, dialogs }: ShellLook): readonly string[] {
  const found = scrolled.map((each) => `scrolled: ${each}`);
  if (page.x !== 0 || page.y !== 0) found.push(`scrolled: the page, to ${page.x}/${page.y}`);
  if (page.width > page.roomWidth || page.height > page.roomHeight)
    found.push(`page too large: ${page.width}x${page.height} on ${page.roomWidth}x${page.roomHeight}`);
  if (menus.length > 1) found.push(`menus: ${menus.length} are open: ${menus.map(({ name }) => name).join(', ')}`);
  for (const { name, box } of menus)
    if (box.x < -1 || box.y < -1 || box.x + box.width > page.roomWidth + 1 || box.y + box.height > page.roomHeight + 1)
      found.push(`off screen: the menu ${name}`);
  for (const { name, box } of dialogs)
    if (box.x < -1 || box.y < -1 || box.x + box.width > page.roomWidth + 1 || box.y + box.height > page.roomHeight + 1)
      found.push(`off screen: the dialog ${name} ${JSON.stringify(box)}`);
  // A hand needs this much of a title bar.
  const [graspWidth, graspHeight] = [100, 30];
  for (const { name, box } of titles) {
    const width = Math.min(box.x + box.width, area.x + area.width) - Math.max(box.x, area.x);
    const height = Math.min(box.y + box.height, area.y + area.height) - Math.max(box.y, area.y);
    if (width < Math.min(graspWidth, area.width) || height < graspHeight)
      found.push(`off screen: the title bar of ${name}, ${Math.round(width)}x${Math.round(height)} are left`);
  }
  return found;
}

function breachesOfFocus({ focus, windows, menus, dialogs, page }: ShellLook, rule: FocusRule): readonly string[] {
  const isAsked = menus.length + dialogs.length > 0;
  if (windows.length === 0 && !isAsked) return [];
  if (focus.element === null) return [`focus: nowhere, with ${isAsked ? 'a menu or dialog' : windows.join(', ')} open`];
  const found: string[] = [];
  if (isAsked && !focus.inOverlay) found.push(`focus: on ${focus.element}, outside of the menu or dialog`);
  if (!isAsked && focus.window !== null && !focus.window.isFront) found.push(`focus: in ${focus.window.name}, which is not in front`);
  if (!focus.isShown) found.push(`focus: ${focus.element} is not to be seen`);
  else if (
    (rule === 'shown' || focus.window === null) &&
    (focus.box.x >= page.roomWidth ||
      focus.box.y >= page.roomHeight ||
      focus.box.x + focus.box.width <= 0 ||
      focus.box.y + focus.box.height <= 0)
  )
    found.push(`focus: ${focus.element} is off screen`);
  return found;
}

/** Words that are in nearly every sentence of one language and in none of the other. */
const wordsOf: Readonly<Record<string, RegExp>> = {
  pt: /(?<![\p{L}-])(não|uma|você|dos|das|seus?|sua|arquivos?|janelas?|pastas?|abrir|fechar|salvar|nenhuma?|aplicativos?|configurações|lixeira|início|desligado|ligado)(?![\p{L}-])/iu,
  en: /(?<![\p{L}-])(the|your|you|with|files?|windows?|folders?|open|close|save|none|settings|trash|off|is|are)(?![\p{L}-])/iu,
};

/** Names and descriptions of apps are in the language of their authors. */
const ofApps: ReadonlySet<string> = new Set(
  readdirSync(examples).flatMap((app) => {
    const manifest = path.join(examples, app, 'svc-app.json');
    return existsSync(manifest) ? textsIn(JSON.parse(readFileSync(manifest, 'utf8')) as unknown) : [];
  }),
);

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Keys of texts, names of fields that nobody filled in, values that are none. */
const rawText = /(?<![\w./-])[a-z]+[a-zA-Z]*\.[a-z][a-zA-Z]+(\.[a-zA-Z]+)*(?![\w/.-])|\{\w+\}|\bundefined\b|\bNaN\b|\[object \w+\]/;
/** Recognises names that look like a key: of files, hosts and such. */
const isName = /\.(txt|md|png|svg|json|log|tracos|localhost|local|html|py|zip|db|js|css|sh|bin|example)$/;

function breachesOfText({ texts, language }: ShellLook): readonly string[] {
  const other = language.startsWith('pt') ? wordsOf['en'] : wordsOf['pt'];
  return texts.flatMap((text) => {
    if (ofApps.has(text)) return [];
    const raw = rawText.exec(text)?.[0];
    if (raw !== undefined && !isName.test(raw)) return [`untranslated: ${raw} in ${JSON.stringify(text.slice(0, 80))}`];
    const word = other?.exec(text)?.[0];
    return word === undefined ? [] : [`untranslated: ${word} in ${JSON.stringify(text.slice(0, 80))}, in ${language}`];
  });
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string | null;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

/** All that axe finds on a page, of any impact. */
export async function axeLines(frame: Page | Frame): Promise<readonly string[]> {
  if (!(await frame.evaluate<boolean>(`'axe' in window`))) await frame.evaluate(axeSource);
  await frame.evaluate(endedAnimations);
  const { violations } = await frame.evaluate<AxeResult>(`axe.run(document, { resultTypes: ['violations'], iframes: false })`);
  return violations.map(({ id, impact, nodes }) => `axe: ${id} (${impact}): ${nodes.map(({ html }) => html.slice(0, 160)).join(' · ')}`);
}

/** Text that is being faded in has no colours yet. An endless animation is not waited for. */
const endedAnimations = `(() => {
  const of = (root) => [...root.querySelectorAll('*')].flatMap((each) => [...each.getAnimations(), ...(each.shadowRoot === null ? [] : of(each.shadowRoot))]);
  const ends = of(document).filter((each) => each.effect?.getComputedTiming().endTime !== Infinity).map((each) => each.finished);
  return Promise.race([Promise.allSettled(ends), new Promise((done) => setTimeout(done, 2000))]).then(() => undefined);
})()`;
