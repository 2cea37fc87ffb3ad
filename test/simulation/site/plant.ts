/** Loaded before the simulator (`node --import`): puts the bug that SVC_PLANTED names into the source as it is read. */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { planted } from './planted.ts';

const root = path.join(import.meta.dirname, '../../..');
const bug = planted.find(({ id }) => id === process.env['SVC_PLANTED']);
if (bug === undefined) throw new Error(`SVC_PLANTED: no bug ${String(process.env['SVC_PLANTED'])}`);
const file = path.join(root, bug.file);
const parts = readFileSync(file, 'utf8').split(bug.from);
if (parts.length !== 2) throw new Error(`${bug.id}: ${bug.file} has ${parts.length - 1} times ${bug.from}`);
const whole = parts.join(bug.to);

registerHooks({
  load: (url, context, next) => {
    if (!url.startsWith('file:') || fileURLToPath(url) !== file) return next(url, context);
    return { format: 'module', source: stripTypeScriptTypes(whole), shortCircuit: true };
  },
});
