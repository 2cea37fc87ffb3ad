/** An attack of an app on the shell and on another app: a row of the matrix of docs/isolation.md. */
import type { Frame, Page } from 'playwright-core';

export type Mode = 'subdomain' | 'path';
export const inPathMode: readonly Mode[] = ['path'];

/** Handed to the scripts of the page. Addresses end with a slash. */
export interface Aim {
  readonly shell: string;
  readonly own: string;
  readonly victim: string;
  readonly secret: string;
}

export interface Cell {
  readonly aim: Aim;
  /** The desktop. */
  readonly page: Page;
  /** Another one once the desktop took it out of its window, and it was opened again. */
  readonly hostile: Frame;
  /** The secret of a fresh link that signs somebody in. */
  readonly pass: () => Promise<string>;
}

export interface Attack {
  /** After "an app". */
  readonly what: string;
  /** The barrier where the attack does not get through. */
  readonly by: string;
  /** The modes in which it gets through. */
  readonly open?: readonly Mode[];
  /** Runs in the page of the attacker; true is a success. An error is none. */
  readonly inPage?: (aim: Aim) => Promise<boolean> | boolean;
  /** Checks an effect that the page alone can't see. */
  readonly seen?: (cell: Cell) => Promise<boolean>;
}

export interface AttackGroup {
  readonly title: string;
  readonly attacks: readonly Attack[];
}

export const frameOfVictim = ({ page, aim }: Cell): Frame => frameBelow(page, aim.victim);

/** The page in a window whose address begins so. */
export function frameBelow(page: Page, address: string): Frame {
  const frame = page.frames().find((one) => one.parentFrame() === page.mainFrame() && one.url().startsWith(address));
  if (frame === undefined) throw new Error(`no frame of ${address}`);
  return frame;
}

export async function visits(cell: Cell): Promise<number> {
  return Number(await frameOfVictim(cell).evaluate(async (url) => await (await fetch(`${url}visitas`)).text(), cell.aim.victim));
}
