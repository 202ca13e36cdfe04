import { instance } from '@viz-js/viz';

/** Lays a graph out in this process, with Graphviz as WebAssembly; the SVG element as text. */
export async function layOut(dot: string): Promise<string> {
  const graphviz = await instance();
  const svg = graphviz.renderString(dot, { format: 'svg' });
  return svg.slice(svg.indexOf('<svg'));
}
