/** The styles in the elements of the UI kit, made small: a bundler leaves text alone. */
import { readFile } from 'node:fs/promises';
import { transform, type Plugin } from 'esbuild';

/** Styles without substitutions; the kit writes no others. */
const styles = /\bcss`([^`$\\]*)`/g;

export const kitStyles: Plugin = {
  name: 'kit-styles',
  setup(build) {
    build.onLoad({ filter: /\/sdk\/web\/ui\/[\w-]+\.ts$/ }, async ({ path }) => {
      let source = await readFile(path, 'utf8');
      for (const [whole, sheet = ''] of source.matchAll(styles)) {
        const { code } = await transform(sheet, { loader: 'css', minify: true });
        source = source.replace(whole, () => `css\`${code.trim().replaceAll('\\', '\\\\')}\``);
      }
      return { contents: source, loader: 'ts' };
    });
  },
};
