import { instance } from '@viz-js/viz';

/** Lays out a graph with Graphviz as WebAssembly; returns the SVG element as text. */
export async function layOut(dot: string): Promise<string> {
  const graphviz = await instance();
  const svg = graphviz.renderString(dot, { format: 'svg' });
  return svg.slice(svg.indexOf('<svg'));
}
