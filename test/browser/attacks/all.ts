/** The matrix: docs/isolation.md is made of it (page.ts), and test/browser/cross-app.real.test.ts tries it. */
import type { AttackGroup } from './attack.ts';
import { bridge } from './bridge.ts';
import { consent } from './consent.ts';
import { leadAway } from './lead-away.ts';
import { requests } from './requests.ts';
import { storage } from './storage.ts';
import { windows } from './windows.ts';

export const attackGroups: readonly AttackGroup[] = [
  { title: 'Requests and sockets', attacks: requests },
  { title: 'Frames, popups, openers and documents', attacks: [...windows, ...leadAway] },
  { title: 'Cookies, storage, caches, workers and channels', attacks: storage },
  { title: 'Forged messages of the bridge', attacks: bridge },
  { title: 'The question of consent', attacks: consent },
];
