import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layOut } from '../../src/graph-layout';
import { isPlainPicture } from '../../src/graph-page';

describe('layOut', () => {
  it('draws a plain picture, whatever the names', async () => {
    const hostile = String.raw`</script><img src=x onerror=\"alert(1)\">&amp;lt;`;
    const dot = `digraph { subgraph cluster_0 { label="${hostile}" a [id="a" label="${hostile}"] } a -> b [label="${hostile}"] }`;
    const svg = await layOut(dot);
    assert.ok(isPlainPicture(svg));
    assert.match(svg, /<g id="a" class="node">/);
    assert.ok(!svg.includes('<img'));
  });

  it('says what is wrong with a graph that is none', async () => {
    await assert.rejects(layOut('digraph {'));
  });
});
