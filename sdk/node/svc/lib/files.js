'use strict';
/** A file below a root, and how HTTP reads it: path grammar, validators, ranges. Same rules in sdk/python/svc/_files.py. */
const fs = require('node:fs');
const path = require('node:path');
const { createHash } = require('node:crypto');

const HASHED_BYTES_MAX = 8 * 1024 * 1024;
const HASH_CACHE_MAX = 1024;
const TARGET = /^\/[!$&'()*+,;=:@A-Za-z0-9._~/%-]*$/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const RANGE = /^bytes=(?:([0-9]{1,15})-([0-9]{0,15})|-([0-9]{1,15}))$/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const OPEN_FLAGS = fs.constants.O_RDONLY | fs.constants.O_NONBLOCK | fs.constants.O_NOCTTY;

const utf8 = (type) => `${type}; charset=utf-8`;
const TYPES = {
  __proto__: null,
  html: utf8('text/html'),
  htm: utf8('text/html'),
  css: utf8('text/css'),
  js: utf8('text/javascript'),
  mjs: utf8('text/javascript'),
  json: utf8('application/json'),
  map: utf8('application/json'),
  webmanifest: utf8('application/manifest+json'),
  txt: utf8('text/plain'),
  md: utf8('text/markdown'),
  csv: utf8('text/csv'),
  xml: utf8('application/xml'),
  svg: 'image/svg+xml',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  ico: 'image/x-icon',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  wasm: 'application/wasm',
  pdf: 'application/pdf',
  mp3: 'audio/mpeg',
  ogg: 'audio/ogg',
  wav: 'audio/wav',
  mp4: 'video/mp4',
  webm: 'video/webm',
  zip: 'application/zip',
  gz: 'application/gzip',
};

function contentType(name) {
  const dot = name.lastIndexOf('.');
  return (dot >= 0 && TYPES[name.slice(dot + 1).toLowerCase()]) || 'application/octet-stream';
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
function decoded(raw) {
  if (!raw.includes('%')) return raw;
  try {
    return decoder.decode(
      Buffer.from(
        raw.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      ),
    );
  } catch {
    return null;
  }
}

/**
 * The decoded segments of a request target, [] for the root, a last '' for a closing slash. Null for everything that is not plainly
 * a place below the root: an encoded slash, backslash or NUL, empty, `.` and `..` segments, hidden files, bad UTF-8.
 */
function segments(target) {
  const place = target.split('?', 1)[0];
  if (place.length > 4096 || !TARGET.test(place) || BAD_ESCAPE.test(place)) return null;
  if (place === '/') return [];
  const raw = place.slice(1).split('/');
  const found = raw.map(decoded);
  const plain = (segment, at) =>
    segment !== null &&
    !segment.startsWith('.') &&
    !/[/\\\u0000-\u001f\u007f]/.test(segment) &&
    (segment !== '' || (at === raw.length - 1 && raw[at] === ''));
  return found.every(plain) ? found : null;
}

/** Errors of the system by which there is no such file for this account. */
const NOT_FOR_US = new Set(['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EPERM', 'ENXIO']);

/**
 * An open descriptor of a regular file that really is below the root, or null; the caller closes it. Opens first and asks the kernel where
 * the descriptor is, so a symlink swapped in between changes nothing.
 */
function openBelow(root, parts) {
  let fd = -1;
  try {
    fd = fs.openSync(path.join(root, ...parts), OPEN_FLAGS);
    const stat = fs.fstatSync(fd, { bigint: true });
    const below = `${fs.realpathSync(root).replace(/\/$/, '')}/`;
    if (stat.isFile() && fs.readlinkSync(`/proc/self/fd/${fd}`).startsWith(below)) {
      const opened = { fd, size: Number(stat.size), mtimeNs: stat.mtimeNs, inode: stat.ino };
      opened.etag = `"${opened.size.toString(16)}-${stat.mtimeNs.toString(16)}-${stat.ino.toString(16)}"`;
      fd = -1;
      return opened;
    }
  } catch (error) {
    // A process that has no descriptor left, or a disk that fails, says nothing about the file.
    if (!NOT_FOR_US.has(error.code)) throw error;
  } finally {
    if (fd >= 0) fs.closeSync(fd);
  }
  return null;
}

const hashes = new Map();

/** 16 hex digits of the sha256 of the content; null above HASHED_BYTES_MAX. */
function contentHash(opened) {
  if (opened.size > HASHED_BYTES_MAX) return null;
  const key = `${opened.inode} ${opened.etag}`;
  if (!hashes.has(key)) {
    if (hashes.size >= HASH_CACHE_MAX) hashes.clear();
    hashes.set(key, createHash('sha256').update(readAll(opened)).digest('hex').slice(0, 16));
  }
  return hashes.get(key);
}

function readAll(opened) {
  const data = Buffer.alloc(opened.size);
  let at = 0;
  while (at < data.length) {
    const read = fs.readSync(opened.fd, data, at, data.length - at, at);
    if (read === 0) break;
    at += read;
  }
  return data.subarray(0, at);
}

/** Seconds of an IMF-fixdate; null for anything else. */
function httpDate(value) {
  if (value === undefined || !HTTP_DATE.test(value.trim())) return null;
  const ms = Date.parse(value.trim());
  return Number.isNaN(ms) ? null : Math.floor(ms / 1_000);
}

/** If-None-Match rules; only without it does If-Modified-Since count. Source: RFC 9110 13.2.2. */
function notModified(headers, etag, mtimeS) {
  const wanted = headers['if-none-match'];
  if (wanted !== undefined) {
    return wanted
      .split(',')
      .map((tag) => tag.trim().replace(/^W\//, ''))
      .some((tag) => tag === '*' || tag === etag);
  }
  const since = httpDate(headers['if-modified-since']);
  return since !== null && mtimeS <= since;
}

/** [first, last] to send, 'unsatisfiable', or null for the whole: no range, many ranges, a malformed one, a stale If-Range. */
function askedRange(headers, size, etag, mtimeS) {
  const found = RANGE.exec((headers.range ?? '').trim());
  if (!found) return null;
  const condition = headers['if-range'];
  if (condition !== undefined && condition.trim() !== etag && httpDate(condition) !== mtimeS) return null;
  const [, first, last, suffix] = found;
  if (suffix !== undefined) return Number(suffix) > 0 && size > 0 ? [Math.max(0, size - Number(suffix)), size - 1] : 'unsatisfiable';
  if (last && Number(last) < Number(first)) return null;
  return Number(first) < size ? [Number(first), last ? Math.min(Number(last), size - 1) : size - 1] : 'unsatisfiable';
}

module.exports = { TYPES, contentType, segments, openBelow, contentHash, readAll, notModified, askedRange };
