/** Limits of the part of `svc dev` that is in the portal. */
export const limits = {
  /** A page of a frontend's dev server, which gets tags put in. */
  devPageBytesMax: 16 * 1_024 * 1_024,
  /** A dev server may build before it answers. */
  devPageMsMax: 60_000,
} as const;
