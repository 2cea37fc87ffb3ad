/**
 * xterm.js under a policy that takes no inline styles: where it makes a `<style>` it makes a `<svc-style>` (shell/terminal/svc-style.ts), and where
 * it sets the attribute `style` it sets the style object. It has an option for another document, which does not reach these places. A version in
 * which they read otherwise fails the build.
 */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const edits: readonly { readonly from: RegExp; readonly to: string; readonly times: number }[] = [
  { from: /createElement\("style"\)/g, to: 'createElement("svc-style")', times: 3 },
  {
    from: /(\w+)\.setAttribute\("style",`\$\{\1\.getAttribute\("style"\)\|\|""\}\$\{(\w+)\};`\)/g,
    to: '($1.style.cssText+=$2+";")',
    times: 1,
  },
];

export const xtermStyles: Plugin = {
  name: 'xterm-styles',
  setup: (bundler) => {
    bundler.onLoad({ filter: /\/@xterm\/xterm\/lib\/xterm\.mjs$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const { from, to, times } of edits) {
        const found = contents.match(from)?.length ?? 0;
        if (found !== times) throw new Error(`${path}: expected ${String(from)} ${times} times, found it ${found} times`);
        contents = contents.replaceAll(from, to);
      }
      return { contents, loader: 'js' };
    });
  },
};
