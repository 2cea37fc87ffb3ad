/** Of the browsers of this worker: shown-pages.ts says what they show when a test fails. */
import type { BrowserContext } from 'playwright-core';

export const openedContexts = new Set<BrowserContext>();
