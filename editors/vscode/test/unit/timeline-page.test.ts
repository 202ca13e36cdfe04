import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { timelinePage } from '../../src/timeline-page';

const page = timelinePage('https://example.invalid/timeline-page.js', 'https://*.invalid', 'abc');

describe('timelinePage', () => {
  it('runs no script and no style but its own', () => {
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'nonce-abc' /);
    assert.doesNotMatch(policy, /unsafe/);
    assert.doesNotMatch(page, /\son\w+=|\sstyle=/);
    assert.equal([...page.matchAll(/<script/g)].length, 1);
  });

  it('names each control for screen readers', () => {
    for (const [control] of page.matchAll(/<(?:input|select|div id="(?:passes|content)")[^>]*>/g)) {
      const start = page.indexOf(control);
      const isLabelled = control.includes('aria-label') || page.lastIndexOf('<label>', start) > page.lastIndexOf('</label>', start);
      assert.ok(isLabelled, control);
    }
    assert.match(page, /role="status" aria-live="polite"/);
  });
});

it('colours no filler cell of the diff as a change', () => {
  const page = timelinePage('x.js', 'x', 'n');
  for (const side of ['before', 'after']) {
    assert.ok(page.includes(`.changed .${side}.code:not(.none)`));
  }
});
