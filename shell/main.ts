/**
 * The reference web desktop: sign-in, launcher, windows, task manager; it hosts the bridge of the apps' pages.
 *
 *   session/   who is signed in; the portal's HTTP API
 *   events/    the connection to /ws/events
 *   state/     signals, and the apps with their state
 *   windows/   window manager (pure), frames, drags, what is remembered
 *   desktop/   everything put together: desk.ts (what it is), start-desk.ts (how it comes to be); desktop, taskbar, keys
 *   preferences/  what the person chose, as the portal keeps it
 *   launcher/  search and tiles
 *   tasks/     task manager and logs
 *   bridge/    the protocol with the apps' pages
 *   capabilities/  what apps ask of each other, and the question to the person before
 *   offline/   the page shown while the portal is away
 *   help/      pages of the help for people, and what runs in them: bundles of their own, made into pages by setup/help
 *   ui/ i18n/  menu, icons, theme; sentences in two languages
 *
 * Built by setup/build.ts into one module; served by the portal at the shell's origin. It imports nothing of the server but types and the words of schema/texts.
 */
import { tryNow, watchMoments } from './events/try-later.ts';
import { chooseLanguage, language, languageTags } from './i18n/i18n.ts';
import './svc-shell.ts';
import { followScreen } from './ui/screen.ts';
import { startTheme } from './ui/theme.ts';
import { keptHere } from './state/kept.ts';

const languageKey = 'svc.language';

function startLanguage(): void {
  language.set(chooseLanguage(keptHere.getItem(languageKey), navigator.languages));
  const apply = (): void => {
    document.documentElement.lang = languageTags[language.get()];
  };
  language.subscribe(() => {
    keptHere.setItem(languageKey, language.get());
    apply();
  });
  apply();
}

startLanguage();
startTheme();
followScreen();
watchMoments(tryNow);
// In a browser that lacks what the desktop needs static/old-browser.js says so.
if (!('cannotOpen' in document.documentElement.dataset)) document.body.append(document.createElement('svc-shell'));
