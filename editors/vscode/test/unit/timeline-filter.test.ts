import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Pass, ShaderTimeline } from '../../src/pass-timeline';
import { EVERYTHING, selectedPasses, stagesOf, verificationProgress, whyNoPass, type PassFilter } from '../../src/timeline-filter';

function pass(number: number, name: string, change: Pass['change'], dump: number | null): Pass {
  return { number, name, change, line: number, dump, previous: null, before: null, after: null };
}

const shader: ShaderTimeline = {
  number: 0,
  title: 'VS a',
  stage: 'VS',
  hidden: 1,
  first: null,
  last: null,
  passes: [
    pass(1, 'nir_lower_returns', 'first', 0),
    pass(2, 'nir_opt_cse', 'none', null),
    { ...pass(3, 'nir_copy_prop', 'code', 1), verdict: { verdict: 'different', reason: 'POS.x' } },
    pass(4, 'nir_opt_dce', 'header', 2),
  ],
};

function numbers(filter: Partial<PassFilter>): number[] {
  return selectedPasses(shader, { ...EVERYTHING, ...filter }).map(({ number }) => number);
}

describe('selectedPasses', () => {
  it('selects everything without a filter', () => {
    assert.deepEqual(numbers({}), [1, 2, 3, 4]);
  });

  it('selects by change, verdict, name, stage and what is touched', () => {
    assert.deepEqual(numbers({ changedOnly: true }), [1, 3, 4]);
    assert.deepEqual(numbers({ differentOnly: true }), [3]);
    assert.deepEqual(numbers({ name: 'OPT_' }), [2, 4]);
    assert.deepEqual(numbers({ stage: 'FS' }), []);
    assert.deepEqual(numbers({ stage: 'VS', touching: new Set([1]) }), [3]);
    assert.deepEqual(numbers({ touching: new Set() }), []);
  });
});

describe('stagesOf', () => {
  it('has each stage once', () => {
    assert.deepEqual(stagesOf([shader, { ...shader, stage: 'FS' }, shader]), ['VS', 'FS']);
  });
});

describe('verificationProgress', () => {
  const unverified = { ...shader, passes: shader.passes.map((one) => ({ ...one, verdict: null })) };

  it('counts the passes that changed something', () => {
    assert.equal(verificationProgress([shader]), '1 of 2 verified, 1 differs');
    assert.equal(verificationProgress([unverified, unverified]), 'none of 4 verified so far');
  });

  it('is told where nothing is listed because nothing is verified', () => {
    const filter = { ...EVERYTHING, differentOnly: true };
    assert.equal(whyNoPass([unverified], filter), 'No pass matches: none of 2 verified so far.');
    assert.equal(whyNoPass([unverified], EVERYTHING), 'No pass matches.');
    assert.equal(whyNoPass([], filter), 'There is no NIR dump in this file.');
  });
});
