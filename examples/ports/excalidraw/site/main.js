/* The board of Excalidraw, kept in this browser. */
const key = 'excalidraw.quadro';
const kept = JSON.parse(localStorage.getItem(key) ?? '{}');
const props = {
  langCode: 'pt-BR',
  initialData: kept,
  onChange: (elements, state, files) => localStorage.setItem(key, JSON.stringify({ elements, files })),
};
ReactDOM.createRoot(document.getElementById('quadro')).render(React.createElement(ExcalidrawLib.Excalidraw, props));
