/** Rectangles of windows: pure arithmetic in CSS pixels, origin at the top left of the usable area (the desktop without the taskbar). */

export interface Size {
  readonly width: number;
  readonly height: number;
}
export interface Rect extends Size {
  readonly x: number;
  readonly y: number;
}

/** Source: rules 8, "environment window floor". */
export const windowFloor: Size = { width: 400, height: 300 };
export const smallScreenWidth = 600;
/** A phone on its side has no room for a window of the floor's height and something beside it. docs/decisions/0342-a-phone-on-its-side.md */
export const smallScreenHeight = 360;

/** How much of the title bar always stays where a pointer can take it. */
const graspableWidth = 120;
const titleBarHeight = 40;
const cascadeStep = 32;
const snapEdge = 8;

export const handles = ['n', 'ne', 'e', 'se', 's', 'sw', 'w', 'nw'] as const;
export type Handle = (typeof handles)[number];

export type Mode = 'normal' | 'maximised' | 'left' | 'right';

const clamp = (value: number, low: number, high: number): number => Math.max(Math.min(value, high), low);

/** Under 600 px of screen, and on one that is as low as a phone on its side, a window fills the usable area. */
export const fillsArea = (area: Size): boolean => area.width < smallScreenWidth || area.height < smallScreenHeight;

/** The least size of a window: never below the floor, never above what the screen has. */
export function leastSize(asked: Partial<Size>, area: Size): Size {
  return {
    width: Math.min(Math.max(windowFloor.width, asked.width ?? 0), area.width),
    height: Math.min(Math.max(windowFloor.height, asked.height ?? 0), area.height),
  };
}

/** Keeps the size and pulls the position back until the title bar can be taken. */
export function keepReachable(rect: Rect, area: Size): Rect {
  const grasp = Math.min(graspableWidth, rect.width);
  return {
    ...rect,
    x: clamp(rect.x, grasp - rect.width, Math.max(area.width - grasp, grasp - rect.width)),
    y: clamp(rect.y, 0, Math.max(area.height - titleBarHeight, 0)),
  };
}

export function moved(rect: Rect, dx: number, dy: number, area: Size): Rect {
  return keepReachable({ ...rect, x: rect.x + dx, y: rect.y + dy }, area);
}

/** The window as it has to be for a part of it to be seen, moved by the least that does it. A part that is in sight, though in part, stays. */
export function broughtIn(rect: Rect, part: Rect, area: Size): Rect {
  const isSeen = part.x < area.width && part.y < area.height && part.x + part.width > 0 && part.y + part.height > 0;
  if (isSeen) return rect;
  const dx = clamp(part.x, 0, Math.max(area.width - part.width, 0)) - part.x;
  const dy = clamp(part.y, 0, Math.max(area.height - part.height, 0)) - part.y;
  return moved(rect, dx, dy, area);
}

/** The dragged side follows the pointer down to the least size; the opposite side stays where it is. */
export function resized(rect: Rect, handle: Handle, dx: number, dy: number, least: Size, area: Size): Rect {
  let { x, y, width, height } = rect;
  if (handle.includes('e')) width = clamp(width + dx, least.width, Math.max(area.width - x, least.width));
  if (handle.includes('s')) height = clamp(height + dy, least.height, Math.max(area.height - y, least.height));
  if (handle.includes('w')) {
    const right = x + width;
    width = clamp(width - dx, least.width, Math.max(right, least.width));
    x = right - width;
  }
  if (handle.includes('n')) {
    const bottom = y + height;
    height = clamp(height - dy, least.height, Math.max(bottom, least.height));
    y = bottom - height;
  }
  return { x, y, width, height };
}

/** A rectangle from another day or another screen, made to fit this one. */
export function fitted(rect: Rect, least: Size, area: Size): Rect {
  const width = clamp(rect.width, least.width, Math.max(area.width, least.width));
  const height = clamp(rect.height, least.height, Math.max(area.height, least.height));
  return keepReachable({ x: rect.x, y: rect.y, width, height }, area);
}

/** The usable area changed: what was whole in sight stays whole in sight, where it fits. */
export function carriedOver(rect: Rect, least: Size, before: Size, area: Size): Rect {
  const fit = fitted(rect, least, area);
  const wasWhole = rect.x >= 0 && rect.y >= 0 && rect.x + rect.width <= before.width && rect.y + rect.height <= before.height;
  return wasWhole ? whole(fit, area) : fit;
}

export const whole = (rect: Rect, area: Size): Rect => ({
  ...rect,
  x: clamp(rect.x, 0, Math.max(0, area.width - rect.width)),
  y: clamp(rect.y, 0, Math.max(0, area.height - rect.height)),
});

/** Where a window is born. `nth` counts the windows that are open already. Source: rules 2.1, `posicao`. */
export function birthplace(size: Size, least: Size, position: 'cascata' | 'centrada', nth: number, area: Size): Rect {
  const width = clamp(size.width, least.width, Math.max(area.width - cascadeStep, least.width));
  const height = clamp(size.height, least.height, Math.max(area.height - cascadeStep, least.height));
  const roomX = Math.max(area.width - width, 0);
  const roomY = Math.max(area.height - height, 0);
  if (position === 'centrada') return { x: Math.round(roomX / 2), y: Math.round(roomY / 2), width, height };
  // The cascade starts a little above and left of the centre and wraps when it runs out of room.
  const startX = Math.round(roomX * 0.35);
  const startY = Math.round(roomY * 0.3);
  const steps = Math.max(1, Math.floor(Math.min(roomX - startX, roomY - startY) / cascadeStep) + 1);
  const step = (nth % steps) * cascadeStep;
  return { x: Math.min(startX + step, roomX), y: Math.min(startY + step, roomY), width, height };
}

/** The rectangle on screen for a mode. Maximise and snap reach any size (rules 2.1, `minimos`). */
export function shown(rect: Rect, mode: Mode, area: Size): Rect {
  if (mode === 'maximised' || fillsArea(area)) return { x: 0, y: 0, ...area };
  const half = Math.floor(area.width / 2);
  if (mode === 'left') return { x: 0, y: 0, width: half, height: area.height };
  if (mode === 'right') return { x: half, y: 0, width: area.width - half, height: area.height };
  return rect;
}

/** Whether nothing of the desktop itself is to be seen. Modes of the windows that are not minimised. */
export function coversArea(modes: readonly Mode[], area: Size): boolean {
  if (modes.length === 0) return false;
  return fillsArea(area) || modes.includes('maximised') || (modes.includes('left') && modes.includes('right'));
}

/** Mode of a window that is dropped with the pointer here. */
export function snapTarget(x: number, y: number, area: Size): Exclude<Mode, 'normal'> | null {
  if (fillsArea(area)) return null;
  if (y <= snapEdge) return 'maximised';
  if (x <= snapEdge) return 'left';
  if (x >= area.width - snapEdge) return 'right';
  return null;
}

/** A maximised window that is dragged shrinks under the pointer, at the same share of its width. */
export function tornOff(rect: Rect, pointerX: number, pointerY: number, area: Size): Rect {
  const share = area.width === 0 ? 0 : pointerX / area.width;
  return keepReachable({ ...rect, x: Math.round(pointerX - rect.width * share), y: Math.max(0, pointerY - titleBarHeight / 2) }, area);
}
