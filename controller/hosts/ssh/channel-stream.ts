/**
 * An ssh2 channel as a plain stream, as the contract of hosts requires: half-open safe, `destroy` ends it at once, always `close`, and an
 * `error` when the connection was cut. ssh2's own channels emit `close` only after everything was read, and lack methods that node:http
 * calls on a socket.
 */
import { Duplex } from 'node:stream';
import type { ClientChannel } from 'ssh2';
import { SvcError } from '../../../schema/errors.ts';

/** As `net.Socket` has them; on a channel there is nothing to be set. */
interface SocketLike extends Duplex {
  setNoDelay(): this;
  setKeepAlive(): this;
  setTimeout(): this;
  ref(): this;
  unref(): this;
}

/** `isLost`: the connection below is gone. ssh2 then ends its channels as if their other side had, which would pass off half an answer as whole. */
export function channelStream(channel: ClientChannel, isLost: () => boolean): Duplex {
  let ended = false;
  const stream = new Duplex({
    allowHalfOpen: true,
    read: () => {
      channel.resume();
    },
    write: (chunk: Buffer, _encoding, done) => {
      channel.write(chunk, done);
    },
    final: (done) => {
      channel.end();
      done();
    },
    destroy: (error, done) => {
      channel.resume();
      channel.close();
      done(error);
    },
  });
  channel.on('data', (chunk: Buffer) => {
    if (!stream.destroyed && !stream.push(chunk)) channel.pause();
  });
  channel.on('end', () => {
    ended = !isLost();
    if (stream.destroyed) return;
    if (ended) stream.push(null);
    else stream.destroy(brokenOff());
  });
  channel.on('error', (error: Error) => stream.destroy(error));
  channel.on('close', () => {
    // Both sides closed in order: what is left is read. Otherwise no reader is left.
    if (ended && stream.writableFinished) return;
    if (ended && !stream.readableEnded) stream.once('end', () => stream.destroy());
    else stream.destroy(ended ? undefined : brokenOff());
  });
  const self = (): Duplex => stream;
  return Object.assign(stream, { setNoDelay: self, setKeepAlive: self, setTimeout: self, ref: self, unref: self }) as SocketLike;
}

export function brokenOff(): SvcError {
  return new SvcError('SERVER_UNREACHABLE', 'the ssh connection broke off');
}
