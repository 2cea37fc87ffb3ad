/** Of the browsers of this worker: failure-details.ts says what they show when a test fails. */
import type { BrowserContext } from 'playwright-core';

export const openedContexts = new Set<BrowserContext>();
