import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeCounts, describePass, hasDiff, iconOf, iconOfPass, type Change, type Counts, type Pass } from '../../src/pass-timeline';

const small: Counts = { instructions: 77, blocks: 1, inputs: 9, outputs: 12, registers: 0 };
const large: Counts = { ...small, instructions: 78, inputs: 12 };

const pass: Pass = {
  number: 8,
  name: 'nir_opt_dce',
  change: 'code',
  line: 111,
  dump: 1,
  previous: 0,
  before: large,
  after: small,
};

describe('describeCounts', () => {
  it('names what changed', () => {
    assert.equal(describeCounts(large, small), '78 → 77 instructions, 12 → 9 inputs');
  });

  it('gives the instructions where nothing changed, or nothing was before', () => {
    assert.equal(describeCounts(small, small), '77 instructions');
    assert.equal(describeCounts(null, small), '77 instructions');
    assert.equal(describeCounts(null, null), '');
  });
});

describe('describePass', () => {
  it('says what the pass did', () => {
    assert.equal(describePass(pass), 'nir_opt_dce: changed the code (78 → 77 instructions, 12 → 9 inputs)');
    assert.match(describePass({ ...pass, change: 'skipped' }), /was skipped/);
    assert.equal(describePass({ ...pass, change: 'none', after: null }), 'nir_opt_dce: changed nothing');
  });
});

describe('a verdict', () => {
  it('is the icon and stands in the tooltip', () => {
    const different: Pass = { ...pass, verdict: { verdict: 'different', reason: 'POS.x: 1 before, 2 after' } };
    assert.equal(iconOfPass(different), 'error');
    assert.match(describePass(different), /different: POS\.x: 1 before, 2 after$/);
    assert.equal(iconOfPass({ ...pass, verdict: { verdict: 'equivalent', reason: '' } }), 'pass');
    assert.equal(iconOfPass({ ...pass, verdict: { verdict: 'unchecked', reason: '' } }), 'question');
    assert.equal(iconOfPass({ ...pass, verdict: null }), iconOf('code'));
  });
});

describe('iconOf', () => {
  it('tells all kinds of change apart', () => {
    const changes: Change[] = ['first', 'code', 'declarations', 'header', 'none', 'skipped'];
    assert.equal(new Set(changes.map(iconOf)).size, changes.length);
  });
});

describe('hasDiff', () => {
  it('needs two snapshots', () => {
    assert.equal(hasDiff(pass), true);
    assert.equal(hasDiff({ ...pass, previous: null }), false);
    assert.equal(hasDiff({ ...pass, dump: null }), false);
  });
});
