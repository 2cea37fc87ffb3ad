/** Declarations in `opens` that match no file and no link: longer than a file name, a media type or a host can be. */
import { limits } from '../limits.ts';

const faults = {
  extensions: (extension: string): string | null => {
    const bare = extension.replace(/^\./, '');
    return bare.length > limits.fileExtensionCharsMax ? `a file name ends in at most ${limits.fileExtensionCharsMax} characters` : null;
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
