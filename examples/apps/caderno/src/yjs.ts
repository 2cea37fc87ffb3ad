/** The parts of yjs that the backend needs, bundled: a package brings its own libraries. */
export * as awarenessProtocol from 'y-protocols/awareness';
export * as Y from 'yjs';
