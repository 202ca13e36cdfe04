import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeCounts, describePass, hasDiff, verdictMark, type Counts, type Pass } from '../../src/pass-timeline';

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
  it('is a mark and stands in the tooltip', () => {
    const different: Pass = { ...pass, verdict: { verdict: 'different', reason: 'POS.x: 1 before, 2 after' } };
    assert.equal(verdictMark(different), '✗ different');
    assert.match(describePass(different), /different: POS\.x: 1 before, 2 after$/);
    assert.equal(verdictMark({ ...pass, verdict: { verdict: 'equivalent', reason: '' } }), '✓');
    assert.equal(verdictMark({ ...pass, verdict: { verdict: 'unchecked', reason: '' } }), '? unchecked');
    assert.equal(verdictMark({ ...pass, verdict: null }), '');
  });

  it('stands beside the findings and the register pressure', () => {
    const text = describePass({ ...pass, findings: { count: 3, worst: 'warning' } }, '8 → 7');
    assert.match(text, /register pressure 8 → 7\)\n3 findings, the worst: warning$/);
  });
});

describe('hasDiff', () => {
  it('needs two snapshots', () => {
    assert.equal(hasDiff(pass), true);
    assert.equal(hasDiff({ ...pass, previous: null }), false);
    assert.equal(hasDiff({ ...pass, dump: null }), false);
  });
});
