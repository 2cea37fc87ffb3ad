/** Where the pointer pressed last on the desktop itself. */
import type { Point } from './place-away.ts';

let last: Point | null = null;
addEventListener('pointerdown', ({ clientX, clientY }) => (last = { x: clientX, y: clientY }), true);

export const lastPress = (): Point | null => last;
