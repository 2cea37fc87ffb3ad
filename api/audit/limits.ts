/** Limits of the record at the border. */
export const limits = {
  /** Homes that are kept, to tell files of others from a person's own. */
  homesMax: 10_000,
};
