import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { packingPage, type Cell, type PackedPair, type PackingAnswer } from '../../src/packing-page';

function cell(slot: string, component: number, more: Partial<Cell> = {}): Cell {
  return {
    slot,
    component,
    half: null,
    name: `${slot}.${'xyzw'[component] ?? ''}`,
    group: 'interpolated',
    bits: 32,
    label: 'uv.x',
    value: '%5',
    interpolation: 'perspective pixel',
    indirect: false,
    cameFrom: null,
    ...more,
  };
}

function answer(pair: Partial<PackedPair>): PackingAnswer {
  const ledger = { lines: [], notes: [], couldGo: null };
  const full = { producer: 'VS', consumer: 'FS', summary: 'VS to FS', obstacle: null, before: { cells: [] }, after: { cells: [] }, ledger, ...pair };
  const stages = [
    { uri: 'file:///a.vert.nir', file: 'a.vert.nir', number: 0, line: 0, stage: 'VS' },
    { uri: 'file:///a.frag.nir', file: 'a.frag.nir', number: 2, line: 9, stage: 'FS' },
  ];
  return { pipelines: [{ pipeline: 'a', reason: 'file names', stages, pairs: [full] }] };
}

const NONCE = 'bm9uY2U=';

describe('packingPage', () => {
  it('lets in one style and nothing else', () => {
    const page = packingPage(answer({}), NONCE);
    assert.match(page, /content="default-src 'none'; style-src 'nonce-bm9uY2U='"/);
    assert.match(page, /<style nonce="bm9uY2U=">/);
    assert.doesNotMatch(page, /<script|<img|<link|https?:|\sstyle="|\son[a-z]+="/);
  });

  it('has a row for each slot and a column for each component', () => {
    const page = packingPage(
      answer({ before: { cells: [cell('VAR0', 0), cell('VAR0', 2), cell('VAR5', 3)] }, after: { cells: [cell('VAR0', 0)] } }),
      NONCE,
    );
    const [before, after] = page.split('<caption>').slice(1);
    assert.ok(before !== undefined && after !== undefined);
    assert.deepEqual([...before.matchAll(/<th scope="row">(\w+)/g)].map((row) => row[1]), ['VAR0', 'VAR5']);
    assert.equal([...before.matchAll(/<td>/g)].length, 8);
    assert.equal([...before.matchAll(/<td><\/td>/g)].length, 5);
    assert.equal([...after.matchAll(/<tr>/g)].length, 2);
  });

  it('shows both halves of a component in one cell', () => {
    const halves = [cell('VAR0', 1, { half: 'lo', bits: 16 }), cell('VAR0', 1, { half: 'hi', bits: 16, group: 'flat' })];
    const page = packingPage(answer({ before: { cells: halves } }), NONCE);
    assert.match(page, /<td><div class="cell group-interpolated"[^]*?lo 16-bit interpolated[^]*?<div class="cell group-flat"[^]*?hi 16-bit flat[^]*?<\/td>/);
  });

  it('colours every group that occurs and explains it', () => {
    const page = packingPage(answer({ before: { cells: [cell('VAR0', 0, { group: 'transform feedback only' })] } }), NONCE);
    assert.match(page, /\.group-transform-feedback-only \{ border-left-color: var\(--vscode-charts-purple/);
    assert.match(page, /<li class="group-transform-feedback-only">transform feedback only<\/li>/);
    assert.doesNotMatch(page, /\.group-flat/);
  });

  it('gives a group that it does not know the colour of text', () => {
    const page = packingPage(answer({ before: { cells: [cell('VAR0', 0, { group: 'brand new' })] } }), NONCE);
    assert.match(page, /\.group-brand-new \{ border-left-color: var\(--vscode-foreground/);
  });

  it('says where a varying was and why one stays', () => {
    const page = packingPage(answer({ after: { cells: [cell('VAR0', 0, { cameFrom: 'VAR7.w', indirect: true })] } }), NONCE);
    assert.match(page, /title="VAR0\.x: interpolated, perspective pixel, stores %5, was VAR7\.w, indexed with/);
    assert.match(page, /<code>uv\.x\[\]<\/code>/);
  });

  it('links each cell to its row of the ledger', () => {
    const lines = [
      { varying: 'VAR3.x', value: 'uv.x', fate: 'packed', place: 'VAR0.x', reason: 'not moved into the VS: <b>' },
      { varying: 'VAR4.x', value: null, fate: 'propagated', place: null, reason: 'the constant 1 is used in the FS' },
    ];
    const ledger = { lines, notes: [{ step: 'packing', message: 'off' }], couldGo: '1 could go if' };
    const page = packingPage(
      answer({ before: { cells: [cell('VAR3', 0), cell('VAR4', 0)] }, after: { cells: [cell('VAR0', 0)] }, ledger }),
      NONCE,
    );
    assert.deepEqual([...page.matchAll(/<a href="#([\w-]+)">/g)].map((link) => link[1]), ['ledger-0-0-0', 'ledger-0-0-1', 'ledger-0-0-0']);
    assert.match(page, /<tr id="ledger-0-0-0"><td>VAR3\.x<\/td><td>uv\.x<\/td><td>packed<\/td><td>VAR0\.x<\/td><td>not moved into the VS: &lt;b&gt;<\/td>/);
    assert.match(page, /<p>packing: off<\/p><p>1 could go if<\/p>/);
  });

  it('escapes what comes from a dump', () => {
    const label = '"><script>alert(1)</script>&\u0007\'';
    const page = packingPage(answer({ summary: label, before: { cells: [cell('VAR0', 0, { label, value: label })] } }), `x"'`);
    assert.doesNotMatch(page, /<script|\p{Cc}(?<!\n)|x"'/u);
    assert.match(page, /&quot;&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;&amp; &#39;/);
  });

  it('says why there is nothing to see', () => {
    assert.match(packingPage({ pipelines: [] }, NONCE), /linked with no other stage/);
    const payload = packingPage(answer({ summary: 'TS to MS: a payload', obstacle: 'a payload' }), NONCE);
    assert.match(payload, /TS to MS: a payload/);
    assert.doesNotMatch(payload, /<table>/);
  });

  it('shows one table of slots that cannot be linked', () => {
    const page = packingPage(answer({ obstacle: 'backend I/O', before: { cells: [cell('VAR0', 0, {})] } }), NONCE);
    assert.match(page, /<caption>Slots<\/caption>/);
    assert.doesNotMatch(page, /<caption>After<\/caption>/);
  });
});
