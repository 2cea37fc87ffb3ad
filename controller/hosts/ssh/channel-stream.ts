/**
 * A channel of ssh2 as the plain stream that the contract of hosts promises: half-open safe, ended by `destroy` at once and
 * always with `close`, and an `error` when the connection broke off in the middle. ssh2's own channels emit `close` only after
 * somebody read all of them, and lack what node:http calls on a socket.
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
    // Both sides closed in order: what is still to be read is read. Otherwise nobody comes back.
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
