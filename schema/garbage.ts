/** V8's own collection, for parts that know better than V8 when nothing of theirs is used any more. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** `last-resort` alone returns half-empty pages to the system. */
export type Collect = (
  options?: { readonly type: 'minor' } | { readonly type: 'major'; readonly execution: 'sync'; readonly flavor: 'last-resort' },
) => void;

/** Gives that of the thread that asks: it is handed out only on request. */
export function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
