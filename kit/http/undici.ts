/**
 * The part of undici in use, loaded with the first request: the whole package would take 0.2 s of a start. The bundles hold only its client for
 * HTTP/1.1 (setup/undici-parts.ts).
 */
export { Client } from 'undici';
