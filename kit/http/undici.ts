/**
 * What we use of undici, loaded with the first question: of the whole package it would be 0.2 s of a start. The bundles hold its client for
 * HTTP/1.1 and nothing else of it (setup/undici-parts.ts).
 */
export { Client } from 'undici';
