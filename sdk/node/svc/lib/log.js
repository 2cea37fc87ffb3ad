'use strict';
/**
 * app.log: one JSON line per event below SVC_APP_DATA_DIR. Source: rules 2.6 and 4.4.
 *
 * A line never holds a raw control character (newline, ANSI, bidi marks), so a reader's terminal is safe. A text is cut at 8 Ki characters,
 * a line above 64 KiB keeps its head; a field with a reserved name gets a trailing `_`. The file (0600) is opened for each line, so that it
 * may be moved or removed, and is rotated at 4 MiB into `.1` and `.2`: 12 MiB per app, and some tens of microseconds an event. It is meant
 * for events, not for every request. Writing never fails the app: a full disk costs the line, told once on stderr.
 */
const fs = require('node:fs');
const path = require('node:path');
const { dataDir } = require('./app.js');

const ROTATE_BYTES = 4 * 1024 * 1024;
const KEPT = 2;
const TEXT_CHARS_MAX = 8 * 1024;
const LINE_BYTES_MAX = 64 * 1024;
const RESERVED = new Set(['ts', 'nivel', 'evento']);
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;
const FLAGS = fs.constants.O_WRONLY | fs.constants.O_APPEND | fs.constants.O_CREAT | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK;

const cut = (text) => (text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX)}…`);

/** A value that JSON can hold; anything else becomes text. */
function plain(value, depth = 0) {
  if (value === null || value === undefined || typeof value === 'boolean') return value ?? null;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'string') return cut(value);
  if (value instanceof Error) return { tipo: value.name, mensagem: cut(value.message), rastro: cut(String(value.stack)) };
  if (value instanceof Date || value instanceof URL || typeof value !== 'object' || depth >= 6) return cut(String(value));
  if (Array.isArray(value) || value instanceof Set) return [...value].map((item) => plain(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item, depth + 1)]));
}

function text(record) {
  return JSON.stringify(record).replaceAll(UNSAFE, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function line(level, event, fields) {
  const head = { ts: new Date().toISOString(), nivel: level, evento: String(event).slice(0, 200) };
  const record = { ...head };
  for (const [name, value] of Object.entries(fields)) record[RESERVED.has(name) ? `${name}_` : name] = plain(value);
  const whole = Buffer.from(`${text(record)}\n`);
  return whole.length <= LINE_BYTES_MAX ? whole : Buffer.from(`${text({ ...head, cortado: true, bytes: whole.length })}\n`);
}

function rotate(file) {
  for (let number = KEPT; number > 0; number -= 1) {
    const older = number === 1 ? file : `${file}.${number - 1}`;
    if (fs.existsSync(older)) fs.renameSync(older, `${file}.${number}`);
  }
}

/** Opened for each line: a file that someone moved or removed is simply made again. */
function append(file, bytes) {
  let out = fs.openSync(file, FLAGS, 0o600);
  try {
    if (fs.fstatSync(out).size + bytes.length > ROTATE_BYTES) {
      fs.closeSync(out);
      out = -1;
      rotate(file);
      out = fs.openSync(file, FLAGS, 0o600);
    }
    fs.writeSync(out, bytes);
  } finally {
    if (out >= 0) fs.closeSync(out);
  }
}

/** `log('evento', { chave: valor })`; `log.info` is the same, `log.erro` marks the line as an error. */
function criarLog(folder) {
  const file = path.join(folder ?? dataDir(), 'app.log');
  let complained = false;
  const write = (level, event, fields) => {
    try {
      append(file, line(level, event, fields ?? {}));
    } catch (problem) {
      if (complained) return;
      complained = true;
      console.error(`svc: app.log não pôde ser escrito: ${problem.message}`);
    }
  };
  const log = (evento, campos) => write('info', evento, campos);
  log.info = log;
  log.erro = (evento, campos) => write('erro', evento, campos);
  return log;
}

let shared;
/** The log of the runtime itself: made when there is something to say. */
function ownLog() {
  try {
    shared ??= criarLog();
  } catch (problem) {
    console.error(`svc: sem app.log: ${problem.message}`);
    shared = Object.assign(() => {}, { info: () => {}, erro: () => {} });
  }
  return shared;
}

module.exports = { criarLog, ownLog };
