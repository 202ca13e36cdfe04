import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { describeLinks, type DumpLinks } from '../../src/link-status';

const alone: DumpLinks = {
  number: 0,
  stage: 'CS',
  name: null,
  links: [],
  whyNot: 'CS has no stage before or behind it',
  text: 'not linked: CS has no stage before or behind it',
};

const linked: DumpLinks = {
  number: 1,
  stage: 'GS',
  name: 'billboard',
  links: [
    {
      pipeline: 'sky',
      kind: 'file names',
      reason: 'file names sky.*.nir',
      with: [
        { uri: 'file:///sky.vert.nir', file: 'sky.vert.nir', number: 0, stage: 'VS' },
        { uri: 'file:///sky.frag.nir', file: 'sky.frag.nir', number: 0, stage: 'FS' },
      ],
    },
  ],
  whyNot: null,
  text: 'linked with sky.vert.nir and sky.frag.nir (file names)',
};

describe('describeLinks', () => {
  it('says nothing where there is no dump', () => {
    assert.equal(describeLinks({ dumps: [] }), undefined);
  });

  it('names the stages and the reason of a link', () => {
    assert.deepEqual(describeLinks({ dumps: [linked] }), {
      text: '$(link) GS – VS, FS',
      tooltip:
        'Dump 2 (GS billboard): linked with sky.vert.nir and sky.frag.nir (file names)\nPipeline sky: file names sky.*.nir',
    });
  });

  it('names a stage of two pipelines once, and both reasons', () => {
    const shown = describeLinks({ dumps: [{ ...linked, links: [...linked.links, ...linked.links] }] });
    assert.equal(shown?.text, '$(link) GS – VS, FS');
    assert.equal(shown.tooltip.split('\n').length, 3);
  });

  it('says why there is no link', () => {
    assert.deepEqual(describeLinks({ dumps: [alone] }), {
      text: '$(debug-disconnect) CS',
      tooltip: 'Dump 1 (CS): not linked: CS has no stage before or behind it',
    });
  });

  it('does without a stage', () => {
    const shown = describeLinks({ dumps: [{ ...alone, stage: null }] });
    assert.match(shown?.text ?? '', /dump$/);
    assert.match(shown?.tooltip ?? '', /^Dump 1: not linked/);
  });
});

describe('what is pending', () => {
  const pending = 'findings of the saved text: save to run the passes';

  it('is told with the links, and without any', () => {
    const text = describeLinks({ dumps: [alone], pending });
    assert.match(text?.text ?? '', /history/);
    assert.match(text?.tooltip ?? '', /^Pending: findings of the saved text/);
    assert.match(describeLinks({ dumps: [], pending })?.tooltip ?? '', /^Pending/);
    assert.equal(describeLinks({ dumps: [], pending: null }), undefined);
  });
});
