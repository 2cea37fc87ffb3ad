/** Contexts of the browsers of this worker: failure-details.ts prints their pages when a test fails. */
import type { BrowserContext } from 'playwright-core';

export const openedContexts = new Set<BrowserContext>();
