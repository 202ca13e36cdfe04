import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { graphPage, isPlainPicture, messagePage, nodeAt, type GraphAnswer, type GraphNode } from '../../src/graph-page';

const SVG = '<svg width="1pt" xmlns="http://www.w3.org/2000/svg"><!-- a --><g id="n1" class="node"><title>n1</title><text>a &lt; b</text></g></svg>';
const HOSTILE = '</script><img src=x onerror=alert(1)>';

const answer: GraphAnswer = { title: 't', dot: '', svg: null, leftOut: 0,
  cutBlocks: 0, nodes: [], whyNot: null };

function node(id: string, first: number, last: number, uri = 'file:///a'): GraphNode {
  return { id, uri, dump: 0, range: { start: { line: first, character: 0 }, end: { line: last, character: 0 } } };
}

describe('nodeAt', () => {
  const nodes = [node('outer', 0, 9), node('inner', 4, 5), node('other', 4, 4, 'file:///b')];

  it('finds the innermost node', () => {
    assert.equal(nodeAt(nodes, 'file:///a', 4), 'inner');
    assert.equal(nodeAt(nodes, 'file:///a', 8), 'outer');
    assert.equal(nodeAt(nodes, 'file:///b', 4), 'other');
  });

  it('finds none elsewhere', () => {
    assert.equal(nodeAt(nodes, 'file:///a', 10), undefined);
    assert.equal(nodeAt(nodes, 'file:///c', 4), undefined);
  });
});

describe('isPlainPicture', () => {
  it('takes what Graphviz draws', () => {
    assert.equal(isPlainPicture(SVG), true);
  });

  for (const evil of [
    `<svg><script>x</script></svg>`,
    `<svg><g onclick="x"></g></svg>`,
    `<svg><text>${HOSTILE}</text></svg>`,
    `<svg><a xlink:href="javascript:x"><text>a</text></a></svg>`,
    `<svg><path style="x"/></svg>`,
    `<svg><foreignObject></foreignObject></svg>`,
    `<svg><g id="a"b="c"></g></svg>`,
    `<svg><g id="</svg><script>"></g></svg>`,
    `<svg><!-- --><script> --></svg>`,
    `x${SVG}`,
    '',
  ]) {
    it(`refuses ${evil.slice(0, 40)}`, () => {
      assert.equal(isPlainPicture(evil), false);
    });
  }

  it('takes no time by the square of the length', () => {
    assert.equal(isPlainPicture(`<svg>${'<g '.repeat(50_000)}`), false);
    assert.equal(isPlainPicture(`<svg ${'a="b" '.repeat(50_000)}`), false);
  });
});

describe('graphPage', () => {
  it('runs its own script and nothing else', () => {
    const html = graphPage(answer, SVG, 'abc');
    assert.match(html, /content="default-src 'none'; script-src 'nonce-abc'; style-src 'nonce-abc'"/);
    assert.equal(html.match(/<script/g)?.length, 1);
    assert.ok(html.includes(SVG));
  });

  it('shows no picture that is not one', () => {
    const html = graphPage(answer, `<svg>${HOSTILE}</svg>`, 'abc');
    assert.ok(!html.includes('<img'));
    assert.ok(!html.includes('<svg'));
  });

  it('offers whole blocks where some are cut', () => {
    assert.ok(!graphPage(answer, SVG, 'abc').includes('id="whole"'));
    assert.match(graphPage({ ...answer, cutBlocks: 2 }, SVG, 'abc'), /<button id="whole">Show whole blocks<\/button>/);
  });

  it('counts what is not drawn', () => {
    assert.match(graphPage({ ...answer, leftOut: 3 }, SVG, 'abc'), /3 more nodes are not drawn/);
  });
});

describe('messagePage', () => {
  it('escapes the message and runs nothing', () => {
    const html = messagePage(HOSTILE);
    assert.ok(!html.includes('<img'));
    assert.match(html, /script-src 'none'/);
  });
});
