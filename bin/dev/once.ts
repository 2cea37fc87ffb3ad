/** A backend that ends as it starts is tried again by its supervisor, and says the same each time: it is printed once for each change. */
export interface Once {
  /** False: it was told since the last change. */
  isNew(text: string): boolean;
  begin(): void;
}

export function createOnce(): Once {
  const told = new Set<string>();
  return {
    isNew: (text) => {
      if (told.has(text)) return false;
      told.add(text);
      return true;
    },
    begin: () => told.clear(),
  };
}
