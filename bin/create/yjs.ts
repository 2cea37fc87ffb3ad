/** Libraries of the template `rooms`, bundled: a page of an app brings its own. */
export * as awarenessProtocol from 'y-protocols/awareness';
export * as Y from 'yjs';
