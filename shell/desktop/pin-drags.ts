/** Drags a pinned app to another place among the pins. Drags from elsewhere are ignored. */
import type { Desk } from './desk.ts';
import { movePin } from '../frames/pin-item.ts';

interface Target {
  readonly button: HTMLElement;
  readonly app: string;
  readonly side: 'before' | 'after';
}

export interface PinDrags {
  readonly begin: (event: DragEvent) => void;
  readonly over: (event: DragEvent) => void;
  readonly end: () => void;
  readonly drop: (event: DragEvent) => void;
}

/** Buttons of a pinned app say it in `data-pin`; `data-drop` says on which side it would be put. */
export function createPinDrags(desk: () => Desk): PinDrags {
  let dragged: string | null = null;
  let marked: HTMLElement | null = null;
  const buttonAt = (event: DragEvent): HTMLElement | null =>
    event.target instanceof Element ? event.target.closest<HTMLElement>('[data-pin]') : null;
  const targetOf = (event: DragEvent): Target | null => {
    const button = buttonAt(event);
    const app = button?.dataset['pin'];
    if (dragged === null || button === null || app === undefined || app === dragged) return null;
    const { left, width } = button.getBoundingClientRect();
    return { button, app, side: event.clientX < left + width / 2 ? 'before' : 'after' };
  };
  const mark = (target: Target | null): void => {
    marked?.removeAttribute('data-drop');
    marked = target?.button ?? null;
    marked?.setAttribute('data-drop', target?.side ?? '');
  };
  const end = (): void => {
    dragged = null;
    mark(null);
  };
  return {
    begin: (event) => {
      dragged = buttonAt(event)?.dataset['pin'] ?? null;
      if (dragged === null || event.dataTransfer === null) return;
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('application/x-svc-pin', '');
    },
    over: (event) => {
      const target = targetOf(event);
      mark(target);
      if (target === null) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'move';
    },
    end,
    drop: (event) => {
      const target = targetOf(event);
      const app = dragged;
      end();
      if (target === null || app === null) return;
      event.preventDefault();
      movePin(desk(), app, target.app, target.side);
    },
  };
}
