import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Launch } from '../../src/server-lookup';
import { describeStatus, withLinks } from '../../src/server-status';

const launch: Launch = { source: 'PATH', command: '/usr/bin/nirls', args: ['serve'] };

describe('describeStatus', () => {
  it('names the server, its version and where it came from', () => {
    const { tooltip, severity, command } = describeStatus({ kind: 'running', launch, version: '1.2' });
    assert.match(tooltip, /^nirls 1\.2 is running: \/usr\/bin\/nirls serve \(from PATH\)/);
    assert.deepEqual([severity, command], ['normal', 'nirls.showOutput']);
  });

  it('does without a version', () => {
    assert.match(describeStatus({ kind: 'running', launch, version: undefined }).tooltip, /^nirls is running/);
  });

  it('offers to look again when there is no server', () => {
    const attempts = [{ source: 'PATH', reason: 'there is no program called nirls' }] as const;
    const { tooltip, severity, command } = describeStatus({ kind: 'missing', attempts });
    assert.match(tooltip, /no program called nirls/);
    assert.deepEqual([severity, command], ['warning', 'nirls.restart']);
    assert.equal(describeStatus({ kind: 'stopped' }).command, 'nirls.restart');
  });

  it('gives the reason of a failure and restarts the server', () => {
    const { tooltip, severity, command } = describeStatus({ kind: 'failed', launch, reason: 'no module named pygls' });
    assert.match(tooltip, /nirls serve failed: no module named pygls/);
    assert.deepEqual([severity, command], ['error', 'nirls.restart']);
  });

  it('looks different in every state', () => {
    const texts = [
      describeStatus({ kind: 'stopped' }),
      describeStatus({ kind: 'starting', launch }),
      describeStatus({ kind: 'running', launch, version: undefined }),
      describeStatus({ kind: 'missing', attempts: [] }),
      describeStatus({ kind: 'failed', launch, reason: '' }),
    ].map((status) => status.text);
    assert.equal(new Set(texts).size, texts.length);
  });
});

describe('withLinks', () => {
  const links = { text: '$(link) VS – FS', tooltip: 'Dump 1 (VS): linked' };

  it('shows the linked stages of a running server in the same item', () => {
    const running = describeStatus({ kind: 'running', launch, version: '1' });
    const { text, tooltip, command } = withLinks(running, links);
    assert.equal(text, links.text);
    assert.match(tooltip, /^Dump 1 \(VS\): linked\n\nnirls 1 is running/);
    assert.equal(command, 'nirls.showOutput');
    assert.deepEqual(withLinks(running, undefined), running);
  });

  it('shows a failure and not the links', () => {
    const failed = describeStatus({ kind: 'failed', launch, reason: 'x' });
    assert.deepEqual(withLinks(failed, links), failed);
  });
});
