import { escaped } from './html';

/** The result of `nirls/graph`. */
export interface GraphAnswer {
  title: string;
  dot: string;
  /** Null if the server has no Graphviz. */
  svg: string | null;
  leftOut: number;
  /** Blocks with more instructions than are drawn. */
  cutBlocks: number;
  nodes: GraphNode[];
  whyNot: string | null;
}

/** A node and its range in the text. */
export interface GraphNode {
  id: string;
  uri: string;
  dump: number;
  range: GraphRange;
}

export interface GraphRange {
  start: { line: number; character: number };
  end: { line: number; character: number };
}

/** Titles of the kinds of graphs, by their name in the protocol. */
export const GRAPH_KINDS = {
  cfg: 'Control Flow',
  values: 'Values',
  dominators: 'Dominator Tree',
  'post-dominators': 'Post-Dominator Tree',
  varyings: 'Varyings of the Pipeline',
} as const;

export type GraphKind = keyof typeof GRAPH_KINDS;

/** The innermost node at a position of a document; undefined if there is none. */
export function nodeAt(nodes: readonly GraphNode[], uri: string, line: number): string | undefined {
  const around = nodes.filter(
    (node) => node.uri === uri && node.range.start.line <= line && line <= node.range.end.line,
  );
  const size = (node: GraphNode): number => node.range.end.line - node.range.start.line;
  return around.sort((one, other) => size(one) - size(other))[0]?.id;
}

const ELEMENTS = new Set(['svg', 'g', 'title', 'text', 'polygon', 'ellipse', 'path', 'polyline']);
const TAG = /<(?:\/?([A-Za-z][\w:-]*)((?:\s+[\w:-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*\/?|!--[^<>]*--)>/gy;
const TEXT = /[^<]+/y;
const HANDLER_OR_LINK = /\s(?:on\w+|(?:xlink:)?href|style)\s*=/i;

/**
 * Whether an SVG contains only elements that Graphviz writes.
 *
 * Graphviz escapes names of a dump; this check is defence in depth.
 */
export function isPlainPicture(svg: string): boolean {
  let position = 0;
  while (position < svg.length) {
    const rule = svg[position] === '<' ? TAG : TEXT;
    rule.lastIndex = position;
    const match = rule.exec(svg);
    if (match === null) {
      return false;
    }
    const [, element, attributes] = match;
    if (element !== undefined && (!ELEMENTS.has(element) || HANDLER_OR_LINK.test(attributes ?? ''))) {
      return false;
    }
    position = rule.lastIndex;
  }
  return svg.startsWith('<svg');
}

/** A page with a message and no scripts. */
export function messagePage(message: string): string {
  return page('none', '', `<p>${escaped(message)}</p>`);
}

/** The page with a graph: clicks on nodes are posted to the extension, which posts the node to highlight. */
export function graphPage(answer: GraphAnswer, svg: string, nonce: string): string {
  if (!isPlainPicture(svg)) {
    return messagePage('The graph contains elements that Graphviz does not write; it is not shown.');
  }
  const note = answer.leftOut > 0 ? `<p>${String(answer.leftOut)} more nodes are not drawn.</p>` : '';
  const whole = answer.cutBlocks > 0 ? '<p><button id="whole">Show whole blocks</button></p>' : '';
  const zoom = ['Zoom Out', 'Zoom In', 'Fit'].map((name) => `<button type="button" data-zoom="${name}" title="${name}">${name}</button>`).join(' ');
  const tools = `<div role="toolbar" aria-label="Zoom">${zoom}</div>`;
  const body = `${whole}${tools}<main id="picture" role="group" aria-label="${escaped(answer.title)}">${svg}</main>${note}<script nonce="${nonce}">${SCRIPT}</script>`;
  return page(`'nonce-${nonce}'`, `<style nonce="${nonce}">${STYLE}</style>`, body, nonce);
}

function page(scripts: string, head: string, body: string, nonce?: string): string {
  const styles = nonce === undefined ? "'none'" : `'nonce-${nonce}'`;
  const policy = `default-src 'none'; script-src ${scripts === 'none' ? "'none'" : scripts}; style-src ${styles}`;
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
${head}</head><body>${body}</body></html>`;
}

const STYLE = `
body { padding: 0; }
#picture { overflow: auto; }
#picture text { font-family: monospace; }
#picture .graph > polygon { fill: transparent; }
body.vscode-dark #picture svg, body.vscode-high-contrast:not(.vscode-high-contrast-light) #picture svg {
  filter: invert(1) hue-rotate(180deg);
}
button {
  color: var(--vscode-button-foreground); background: var(--vscode-button-background);
  border: none; padding: 4px 10px; cursor: pointer;
}
#picture svg { height: auto; max-width: none; transform-origin: 0 0; }
.node { cursor: pointer; }
.node:focus { outline: 2px solid #1a73e8; }
.node.marked polygon, .node.marked path, .node.marked ellipse { stroke: #d9480f; stroke-width: 3; }
`;

const SCRIPT = `
const vscode = acquireVsCodeApi();
const picture = document.querySelector('#picture svg');
const nodes = [...document.querySelectorAll('#picture .node')];
let scale = 1;
for (const node of nodes) {
  node.setAttribute('tabindex', '0');
  node.setAttribute('role', 'link');
  node.setAttribute('aria-label', [...node.querySelectorAll('text')].map((text) => text.textContent.trim()).join('; '));
  const open = () => vscode.postMessage({ kind: 'open', id: node.id });
  node.addEventListener('click', open);
  node.addEventListener('keydown', (event) => { if (event.key === 'Enter') { open(); } });
}
// The page may show a wider font than the one that the layout measured.
for (const node of nodes) {
  const texts = [...node.querySelectorAll('text')];
  const shape = node.querySelector('polygon, path, ellipse');
  if (!shape || texts.length === 0) { continue; }
  const room = shape.getBBox().width - 4;
  const widest = Math.max(...texts.map((text) => text.getComputedTextLength()));
  if (widest > room) {
    for (const text of texts) {
      text.setAttribute('font-size', String(parseFloat(text.getAttribute('font-size')) * room / widest));
    }
  }
}
document.getElementById('whole')?.addEventListener('click', () => vscode.postMessage({ kind: 'whole' }));
window.addEventListener('message', ({ data }) => {
  if (data.kind !== 'mark') { return; }
  for (const node of nodes) { node.classList.toggle('marked', node.id === data.id); }
  const marked = nodes.find((node) => node.id === data.id);
  if (marked && data.reveal) { marked.scrollIntoView({ block: 'center', inline: 'center' }); }
});
function zoomTo(wanted) {
  if (!picture) { return; }
  scale = Math.min(8, Math.max(0.1, wanted));
  picture.style.transform = 'scale(' + scale + ')';
}
const zooms = {
  'Zoom In': () => zoomTo(scale * 1.25),
  'Zoom Out': () => zoomTo(scale / 1.25),
  'Fit': () => zoomTo(Math.min(1, (window.innerWidth - 20) / (picture.getBoundingClientRect().width / scale))),
};
for (const button of document.querySelectorAll('[data-zoom]')) {
  button.addEventListener('click', () => zooms[button.dataset.zoom]());
}
window.addEventListener('keydown', ({ key, ctrlKey, metaKey }) => {
  if (ctrlKey || metaKey) { return; }
  const name = { '+': 'Zoom In', '=': 'Zoom In', '-': 'Zoom Out', '0': 'Fit' }[key];
  if (name) { zooms[name](); }
});
window.addEventListener('wheel', (event) => {
  if (!event.ctrlKey || !picture) { return; }
  event.preventDefault();
  zoomTo(scale * (event.deltaY < 0 ? 1.15 : 1 / 1.15));
}, { passive: false });
vscode.postMessage({ kind: 'ready' });
`;
