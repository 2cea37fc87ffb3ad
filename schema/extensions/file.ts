/** In the folder of a repository of unpacked packages, and below `v1/` of a packed one. */
export const extensionFile = 'extensoes.json';
