import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeDump, diffTitle, whyNothing, type Preview, type PreviewedDump } from '../../src/pass-preview';

const counts = { instructions: 4, blocks: 1, inputs: 0, outputs: 2, registers: 0 };

const dump: PreviewedDump = {
  uri: 'file:///a.log',
  file: 'a.log',
  number: 2,
  line: 40,
  stage: 'VS',
  changed: true,
  before: 'x',
  after: 'y',
  counts: { before: counts, after: { ...counts, instructions: 3 } },
};

const preview: Preview = { title: 'opt_dce on VS', passes: ['opt_dce'], verdict: 'checked', dumps: [dump] };

describe('whyNothing', () => {
  it('is silent where there is something to see', () => {
    assert.equal(whyNothing(preview), undefined);
  });

  it('says that a pass has nothing to do', () => {
    const idle: Preview = { ...preview, verdict: 'unchanged', dumps: [{ ...dump, changed: false }] };
    assert.equal(whyNothing(idle), 'opt_dce on VS changes nothing.');
  });

  it('says that a dump is linked with nothing', () => {
    const unlinked: Preview = { ...preview, title: 'Linking of VS', verdict: 'unlinked', dumps: [], whyNot: 'There is no other dump.' };
    assert.match(whyNothing(unlinked) ?? '', /linked with nothing.*There is no other dump\./);
  });

  it('says that a result is wrong', () => {
    assert.match(whyNothing({ ...preview, verdict: 'refused' }) ?? '', /does not do the same/);
  });
});

describe('describeDump', () => {
  it('names stage, file and dump, counted from 1', () => {
    assert.deepEqual(describeDump(dump), { label: 'VS a.log (dump 3)', description: '4 → 3 instructions' });
    assert.equal(describeDump({ ...dump, changed: false }).description, 'unchanged');
    assert.match(describeDump({ ...dump, stage: null }).label, /^dump a\.log/);
  });
});

describe('diffTitle', () => {
  it('says what was not checked', () => {
    assert.equal(diffTitle(preview, dump), 'Preview opt_dce: VS');
    assert.equal(diffTitle({ ...preview, verdict: 'unchecked' }, dump), 'Preview opt_dce: VS (unchecked)');
  });
});
