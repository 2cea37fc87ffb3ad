/** What the page of the template `rooms` needs, bundled: a page of an app brings its own libraries. */
export * as awarenessProtocol from 'y-protocols/awareness';
export * as Y from 'yjs';
