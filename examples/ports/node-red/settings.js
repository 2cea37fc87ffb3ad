/** Node-RED of one person: no account of its own, nothing sent home. */
module.exports = {
  uiHost: '127.0.0.1',
  flowFile: 'flows.json',
  credentialSecret: false,
  telemetry: { enabled: false, updateNotification: false },
  editorTheme: { tours: false, palette: { catalogues: [] } },
  externalModules: { autoInstall: false, palette: { allowInstall: false } },
};
