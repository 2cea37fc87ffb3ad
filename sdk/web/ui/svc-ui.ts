/**
 * The UI kit of apps, `_sdk/ui/svc-ui.js`: custom elements for plain HTML, by the tokens of svc-ui.css. It is a plain script of its own, so
 * that a page needs no build; `web.spa` puts its tag into the page. The members of each element: docs/ui.md, svc-ui.d.ts.
 */
import './button.ts';
import './checkbox.ts';
import './dialog.ts';
import './empty.ts';
import './field.ts';
import './menu.ts';
import './person.ts';
import './progress.ts';
import './radio-group.ts';
import './select.ts';
import './split.ts';
import './table.ts';
import './tabs.ts';
import './toast.ts';
import './toolbar.ts';
import './tree.ts';
import { followShell } from './theme.ts';

followShell();
