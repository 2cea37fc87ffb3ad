/* Says what stands in the way where the desktop can't open in this browser. No modules and no words of this decade: an old browser is to read it. */
(function () {
  function has(on, name) {
    return on !== undefined && on !== null && name in on;
  }
  var needed = {
    'AbortSignal.any': has(window.AbortSignal, 'any'),
    'Promise.withResolvers': has(window.Promise, 'withResolvers'),
    'Map.groupBy': has(window.Map, 'groupBy'),
    'Array.toSorted': has(Array.prototype, 'toSorted'),
    'Intl.ListFormat': has(window.Intl, 'ListFormat'),
    'Intl.RelativeTimeFormat': has(window.Intl, 'RelativeTimeFormat'),
    'Intl.PluralRules': has(window.Intl, 'PluralRules'),
    matchMedia: has(window, 'matchMedia') && has(window.MediaQueryList && window.MediaQueryList.prototype, 'addEventListener'),
    ResizeObserver: has(window, 'ResizeObserver'),
    ElementInternals: has(window, 'ElementInternals'),
    TextDecoderStream: has(window, 'TextDecoderStream'),
    popover: has(HTMLElement.prototype, 'popover'),
    dialog: has(window, 'HTMLDialogElement'),
    modules: has(document.createElement('script'), 'noModule'),
  };
  var lacking = Object.keys(needed).filter(function (name) {
    return !needed[name];
  });
  var isPortuguese = /^pt/i.test((navigator.languages && navigator.languages[0]) || navigator.language || '');
  var tooOld = isPortuguese
    ? 'Este navegador é antigo demais para a área de trabalho. Atualize-o, ou use outro. Falta: '
    : 'This browser is too old for the desktop. Update it, or use another one. It lacks: ';
  var failed = isPortuguese ? 'A área de trabalho não abriu neste navegador: ' : 'The desktop did not open in this browser: ';

  function say(words) {
    if (document.querySelector('.cannot-open') !== null) return;
    var told = document.createElement('p');
    told.className = 'cannot-open';
    told.setAttribute('role', 'alert');
    told.textContent = words;
    document.body.appendChild(told);
  }

  /* main.ts looks at it. */
  if (lacking.length > 0) document.documentElement.setAttribute('data-cannot-open', '');
  document.addEventListener('DOMContentLoaded', function () {
    if (lacking.length > 0) say(tooOld + lacking.join(', '));
  });
  /* An error that ends the first script leaves an empty page. */
  function ended(event) {
    var isOpen = document.body === null || document.querySelector('svc-shell') !== null;
    if (!isOpen && lacking.length === 0) say(failed + (event.message || (event.target && event.target.src) || ''));
  }
  window.addEventListener('error', ended, true);
})();
