/** The schema of the manifest as a function. The bundle of the commands holds what was compiled when it was built (setup/build-commands.ts). */
import { compileShape } from '../compile-shape.ts';
import type { Shape } from '../shape.ts';
import { manifestSchema } from './schema.ts';

let compiled: Shape | undefined;
export const manifestShape = (): Shape => (compiled ??= compileShape(manifestSchema));
