/** Bounds on what the pages of an app may do with windows of the desktop. The figures are ours. */
export const limits = {
  /** Windows of one app that `janela.abrir` opens. */
  appWindowsMax: 32,
  /** Window menus that the pages of one app may open one after the other; then one in so long. */
  headerMenusAtOnce: 3,
  headerMenuEveryMs: 2_000,
  /** After *Save and close* the page has so long to say how it ended. */
  saveMsMax: 15_000,
  /** An update that was let come has so long; then the app starts in the version that is there. */
  updateMsMax: 10 * 60_000,
  /** A page takes the keyboard unasked so often within `takesWithinMs`; one time more, and it is taken out of its window: from a secret that is typed, */
  secretTakesMax: 0,
  /** from another question of the desktop, its launcher or a menu, */
  questionTakesMax: 3,
  /** from what else is typed into, while its window is not in front. */
  windowTakesMax: 5,
  takesWithinMs: 10_000,
  /** How often the desktop looks whether the keyboard is nowhere: no event tells when what had it was taken out of the page. */
  keyboardLookMs: 500,
};
