import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { escaped } from '../../src/html';

describe('text in a page', () => {
  it('ends neither an element nor an attribute', () => {
    assert.equal(escaped(`a<b> & "c" 'd'`), 'a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;');
  });

  it('holds no control characters', () => {
    assert.equal(escaped('a\u0000b\nc\u009bd'), 'a b c d');
  });

  it('is as it was otherwise', () => {
    assert.equal(escaped('%5 → VAR0.x'), '%5 → VAR0.x');
  });
});
