/** The schemas of the documents as functions. The bundle of the commands holds what was compiled when it was built (setup/build-commands.ts). */
import { compileShape } from '../compile-shape.ts';
import type { Shape } from '../shape.ts';
import type { DesiredKind } from './documents.ts';
import { desiredSchema } from './schema.ts';

const shapes = new Map<DesiredKind, Shape>();

export function desiredShape(kind: DesiredKind): Shape {
  const shape = shapes.get(kind) ?? compileShape(desiredSchema(kind));
  shapes.set(kind, shape);
  return shape;
}
