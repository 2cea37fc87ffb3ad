/** What the backend needs of yjs, bundled: a package brings its own libraries. */
export * as awarenessProtocol from 'y-protocols/awareness';
export * as Y from 'yjs';
