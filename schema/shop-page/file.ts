/** In the folder of a package, beside its manifest. */
export const shopPageFile = 'loja.json';
