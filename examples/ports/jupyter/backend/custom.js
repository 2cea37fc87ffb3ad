/* Jupyter's own place for this; see backend/app. */
define(['base/js/namespace'], (Jupyter) => {
  // oxlint-disable-next-line no-underscore-dangle
  Jupyter._target = '_self';
});
