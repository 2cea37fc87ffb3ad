/* Jupyter's own place for this; see backend/app. */
define(['base/js/namespace'], (Jupyter) => {
  Jupyter._target = '_self';
});
