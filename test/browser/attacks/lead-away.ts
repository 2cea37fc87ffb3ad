/** Ways to put another page in the place of the desktop, by what the page of an app reaches of it. Where it leads to is answered with 204, so that the desktop stays for the next cell. */
import { inPathMode, type Attack, type Cell } from './attack.ts';

const leads =
  (act: (to: string) => unknown, after?: () => unknown) =>
  async ({ page, hostile, aim }: Cell): Promise<boolean> => {
    const to = `${aim.own}?levada-de-cima`;
    let led = false;
    const came = Promise.withResolvers<void>();
    const isTo = (url: URL): boolean => url.href === to;
    await page.route(isTo, async (route) => {
      led ||= route.request().isNavigationRequest() && route.request().frame() === page.mainFrame();
      await route.fulfill({ status: 204 });
      came.resolve();
    });
    // Another origin throws at the first word: what is under way then was so before.
    const isRefused = await hostile.evaluate(act, to).then(
      () => false,
      () => true,
    );
    await Promise.race([came.promise, page.waitForTimeout(isRefused ? 300 : 10_000)]);
    await page.unroute(isTo);
    if (after) await page.evaluate(after);
    return led;
  };

export const leadAway: readonly Attack[] = [
  {
    what: 'navigates the desktop away by a function of the desktop',
    by: 'another origin',
    open: inPathMode,
    seen: leads((to) => void parent.open(to, '_self')),
  },
  {
    what: 'navigates the desktop away by a link that it puts there',
    by: 'another origin',
    open: inPathMode,
    seen: leads((to) => {
      const link = parent.document.createElement('a');
      link.href = to;
      parent.document.body.append(link);
      link.click();
      link.remove();
    }),
  },
  {
    what: 'navigates the desktop away by a refresh that it puts there',
    by: 'another origin',
    open: inPathMode,
    seen: leads((to) => {
      const refresh = parent.document.createElement('meta');
      refresh.httpEquiv = 'refresh';
      refresh.content = `0; url=${to}`;
      parent.document.head.append(refresh);
      refresh.remove();
    }),
  },
  {
    what: 'navigates the desktop away by a frame without a sandbox that it puts there',
    by: 'another origin',
    open: inPathMode,
    seen: leads(async (to) => {
      const frame = parent.document.createElement('iframe');
      frame.src = to.replace('levada-de-cima', 'solta');
      const loaded = new Promise((resolve) => frame.addEventListener('load', resolve));
      parent.document.body.append(frame);
      await loaded;
      const link = frame.contentDocument!.createElement('a');
      link.href = to;
      link.target = '_top';
      frame.contentDocument!.body.append(link);
      link.click();
      setTimeout(() => frame.remove(), 1_000);
    }),
  },
  {
    what: 'navigates the desktop away by its history',
    by: 'another origin',
    open: inPathMode,
    seen: leads(
      (to) => {
        parent.history.pushState(null, '', to);
        parent.history.go(0);
      },
      () => history.replaceState(null, '', '/'),
    ),
  },
];
