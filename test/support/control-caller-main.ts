/** The process behind createControlCaller: does the calls that its parent sends, and ends with it. */
import { callControlSocket, type CallOrder, type CallReply } from './control-socket.ts';

const reply = (message: CallReply): void => void process.send?.(message);

process.on('message', ({ id, args }: CallOrder) => {
  callControlSocket(...args).then(
    (answer) => reply({ id, answer }),
    (error: unknown) => reply({ id, error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());
