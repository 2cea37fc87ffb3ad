'use strict';
/** Serves the frontend of an app. Source: rules 4.5 and 4.2; which paths are navigations: docs/decisions/0016-what-the-spa-serves.md. */
const fs = require('node:fs');
const { createHash } = require('node:crypto');
const { fileURLToPath } = require('node:url');
const { basePath } = require('./app.js');
const { TYPES, contentType, segments, openBelow, contentHash, readAll, notModified, askedRange } = require('./files.js');

// An unclosed tag or comment extends to the end of the page, so that each is found in one pass.
const HEAD_TAG = /<!--[\s\S]*?(?:-->|$)|<head(?=[\s>])(?:[^>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*(?:>|$)/gi;
const OPENING_TAG = /<!--[\s\S]*?(?:-->|$)|<html(?=[\s>])(?:[^>"']|"[^"]*(?:"|$)|'[^']*(?:'|$))*(?:>|$)|<!doctype[^>]*(?:>|$)/gi;
const BASE_TAG = /<base\s/i;
const NAVIGATION_DESTS = new Set(['document', 'iframe', 'frame', 'embed', 'object']);
const FOREVER = 'private, max-age=31536000, immutable';
const PIECE_BYTES = 256 * 1024;

const escaped = (text) =>
  text.replaceAll(/[&<>"']/g, (mark) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#x27;' })[mark]);
const seconds = (ns) => Number(ns / 1_000_000_000n);
const isRoot = (parts) => parts.length === 0 || (parts.length === 1 && parts[0] === 'index.html');

/** Right after <head>; without one after <html> or the doctype; else in front. Works on latin1 text: bytes stay as they are. */
function inject(page, tags) {
  for (const pattern of [HEAD_TAG, OPENING_TAG]) {
    const places = [...page.matchAll(pattern)]
      .filter((found) => !found[0].startsWith('<!--'))
      .map((found) => found.index + found[0].length);
    const at = pattern === HEAD_TAG ? places[0] : places.at(-1);
    if (at !== undefined) return page.slice(0, at) + tags + page.slice(at);
  }
  return tags + page;
}

/** A route of the page: no extension, not below `api`, asked for as a document. */
function isNavigation(parts, headers) {
  if (parts[0] === 'api' || (parts.findLast(Boolean) ?? '').includes('.')) return false;
  const dest = headers['sec-fetch-dest'];
  if (dest !== undefined && !NAVIGATION_DESTS.has(dest)) return false;
  return (headers.accept ?? '').toLowerCase().includes('text/html');
}

function head(req, answer) {
  const headers = {
    ETag: answer.etag,
    'Last-Modified': new Date(answer.mtimeS * 1_000).toUTCString(),
    'Cache-Control': answer.cache,
    'Accept-Ranges': 'bytes',
    'X-Content-Type-Options': 'nosniff',
  };
  if (notModified(req.headers, answer.etag, answer.mtimeS)) return { status: 304, headers, first: 0, last: -1 };
  const asked = req.method === 'GET' ? askedRange(req.headers, answer.size, answer.etag, answer.mtimeS) : null;
  if (asked === 'unsatisfiable') {
    return { status: 416, headers: { ...headers, 'Content-Range': `bytes */${answer.size}`, 'Content-Length': 0 }, first: 0, last: -1 };
  }
  const [first, last] = asked ?? [0, answer.size - 1];
  if (asked) headers['Content-Range'] = `bytes ${first}-${last}/${answer.size}`;
  headers['Content-Type'] = answer.kind;
  headers['Content-Length'] = last - first + 1;
  return { status: asked ? 206 : 200, headers, first, last };
}

/** Streams the piece of the file; a file that shrank ends the connection. Closes the descriptor. */
function sendFile(res, fd, first, last) {
  const stream = fs.createReadStream('', { fd, start: first, end: last, highWaterMark: PIECE_BYTES });
  stream.on('error', () => res.destroy());
  stream.on('end', () => {
    if (stream.bytesRead < last - first + 1) res.destroy();
    else res.end();
  });
  res.on('close', () => stream.destroy());
  stream.pipe(res, { end: false });
}

function send(req, res, answer) {
  const { status, headers, first, last } = head(req, answer);
  res.writeHead(status, headers);
  const bodiless = req.method === 'HEAD' || last < first;
  if (!bodiless && answer.data === undefined) return sendFile(res, answer.fd, first, last);
  if (answer.fd !== undefined) fs.closeSync(answer.fd);
  return res.end(bodiless ? undefined : answer.data.subarray(first, last + 1));
}

function tagsFor(page, site) {
  let newest = 0n;
  const tags = [];
  // URLs are relative to the base, so that the page works at / and under /proxy/app/<id>/, also on a deep route.
  if (!BASE_TAG.test(page)) tags.push(`<base href="${escaped(basePath())}">`);
  if (!page.includes('_sdk/svc.js')) tags.push('<script src="_sdk/svc.js"></script>');
  if (site.ui && !page.includes('_sdk/ui/')) {
    tags.push('<link rel="stylesheet" href="_sdk/ui/svc-ui.css"><script src="_sdk/ui/svc-ui.js" defer></script>');
  }
  for (const name of site.scripts) {
    const parts = segments(`/${name}`);
    const opened = parts?.length ? openBelow(site.root, parts) : null;
    let digest = null;
    if (opened) {
      digest = contentHash(opened);
      if (opened.mtimeNs > newest) newest = opened.mtimeNs;
      fs.closeSync(opened.fd);
    }
    if (digest === null) {
      site.warnOnce('spa.script_ausente', { arquivo: name });
      continue;
    }
    tags.push(`<script src="${escaped(name)}?v=${digest}" ${name.endsWith('.mjs') ? 'type="module"' : 'defer'}></script>`);
  }
  return { tags: Buffer.from(tags.join('')).toString('latin1'), newest };
}

function indexAnswer(site) {
  const opened = openBelow(site.root, ['index.html']);
  if (!opened) {
    site.warnOnce('spa.sem_index', { raiz: site.root });
    return null;
  }
  let page;
  try {
    page = readAll(opened).toString('latin1');
  } finally {
    fs.closeSync(opened.fd);
  }
  const { tags, newest } = tagsFor(page, site);
  const data = Buffer.from(inject(page, tags), 'latin1');
  const etag = `"${createHash('sha256').update(data).digest('hex').slice(0, 32)}"`;
  const mtimeS = seconds(opened.mtimeNs > newest ? opened.mtimeNs : newest);
  return { data, size: data.length, etag, mtimeS, kind: TYPES.html, cache: 'no-cache' };
}

function fileAnswer(site, parts, target) {
  if (parts.at(-1) === '') return null;
  const opened = openBelow(site.root, parts);
  if (!opened) return null;
  const named = /\?(?:[^?]*&)?v=([0-9a-f]{16})(?:&|$)/.exec(target);
  const current = named !== null && contentHash(opened) === named[1];
  const { fd, size, etag, mtimeNs } = opened;
  return { fd, size, etag, mtimeS: seconds(mtimeNs), kind: contentType(parts.at(-1)), cache: current ? FOREVER : 'no-cache' };
}

/**
 * (req, res) => boolean: true when it served the request. `scripts` are paths below `root`, put into the head of the index with
 * their content hash. `aoAvisar('evento', { chave: valor })` hears what an author should mend.
 */
function spa(root, { ui = true, scripts = [], aoAvisar = () => {} } = {}) {
  const warned = new Set();
  const site = {
    root: root instanceof URL || String(root).startsWith('file:') ? fileURLToPath(root) : String(root),
    ui,
    scripts,
    warnOnce(event, fields) {
      const key = `${event} ${JSON.stringify(fields)}`;
      if (warned.has(key)) return;
      warned.add(key);
      aoAvisar(event, fields);
    },
  };
  return function pagina(req, res) {
    if (req.method !== 'GET' && req.method !== 'HEAD') return false;
    const parts = segments(req.url);
    if (parts === null || parts[0] === '_sdk') return false; // `_sdk` belongs to the system: rules 4.2
    let answer = isRoot(parts) ? indexAnswer(site) : fileAnswer(site, parts, req.url);
    if (answer === null && isNavigation(parts, req.headers)) answer = indexAnswer(site);
    if (answer === null) return false;
    send(req, res, answer);
    return true;
  };
}

module.exports = { spa };
