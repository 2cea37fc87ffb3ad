/** Declarations in `opens` that match no file and no link: longer than the desktop looks at. */
import { limits } from '../limits.ts';

const faults = {
  extensions: (extension: string): string | null => {
    const bare = extension.replace(/^\./, '');
    if (bare.length > limits.fileExtensionCharsMax)
      return `at most ${limits.fileExtensionCharsMax} characters of the end of a file name are looked at`;
    if (bare.endsWith('.')) return 'nothing is behind its last dot';
    return bare.split('.').length > limits.fileExtensionPartsMax
      ? `at most ${limits.fileExtensionPartsMax} parts of a file name are looked at`
      : null;
  },
  mimeTypes: (type: string): string | null =>
    type.split('/').some((side) => side.length > limits.mediaTypeSideCharsMax)
      ? `a media type has at most ${limits.mediaTypeSideCharsMax} characters on each side of the slash`
      : null,
  urls: (host: string): string | null =>
    host.length > limits.linkHostCharsMax ? `a host has at most ${limits.linkHostCharsMax} characters` : null,
};

/** Why it opens nothing, of a text in the right form; null: it may. */
export const neverMatches = (field: keyof typeof faults, value: string): string | null => faults[field](value);
