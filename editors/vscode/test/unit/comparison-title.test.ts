import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparisonTitle, snapshotName } from '../../src/comparison-title';
import type { Pass, ShaderTimeline } from '../../src/pass-timeline';

function pass(number: number, name: string, dump: number | null): Pass {
  return { number, name, change: 'code', line: number, dump, previous: null, before: null, after: null };
}

const dce = pass(2, 'nir_opt_dce', 1);
const vertex: ShaderTimeline = { number: 0, title: 'VS a', stage: 'VS', hidden: 0, first: null, last: null, passes: [pass(1, 'nir_lower_returns', 0), dce] };
const fragment: ShaderTimeline = { ...vertex, number: 1, title: 'FS a', stage: 'FS', passes: [pass(3, 'nir_opt_cse', 2)] };
const shaders = [vertex, fragment];

describe('comparisonTitle', () => {
  it('names the pass and its shader', () => {
    assert.equal(comparisonTitle(shaders, vertex, dce, undefined), 'nir_opt_dce (2), VS a');
  });

  it('names both snapshots', () => {
    assert.equal(comparisonTitle(shaders, vertex, dce, 0), 'nir_lower_returns (1) → nir_opt_dce (2)');
  });

  it('tells that the snapshots are of two shaders', () => {
    assert.equal(comparisonTitle(shaders, vertex, dce, 2), 'nir_opt_cse (3) → nir_opt_dce (2): two shaders, FS a compared with VS a');
  });
});

describe('snapshotName', () => {
  it('counts snapshots without a pass', () => {
    assert.equal(snapshotName(shaders, 7), 'snapshot 8');
  });
});
