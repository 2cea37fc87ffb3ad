/** Runs before a page of the help is drawn: it has the theme of the desktop (ui/theme.ts), while that changes, too. */
const keyOfTheme = 'svc.theme';
const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

function kept(): string | null {
  try {
    return localStorage.getItem(keyOfTheme);
  } catch {
    return null;
  }
}

function dress(): void {
  const theme = kept();
  root.dataset['theme'] = theme === 'dark' || (theme !== 'light' && system.matches) ? 'dark' : 'light';
}

root.dataset['script'] = '';
dress();
system.addEventListener('change', dress);
addEventListener('storage', ({ key }) => key === keyOfTheme && dress());
