import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { grammarText } from '../../scripts/grammar.mjs';

describe('syntaxes/nir.tmLanguage.json', () => {
  it('is what scripts/grammar.mjs writes', () => {
    assert.equal(readFileSync('syntaxes/nir.tmLanguage.json', 'utf8'), grammarText);
  });
});
