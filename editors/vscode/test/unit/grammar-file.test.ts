import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { grammarText } from '../../scripts/grammar.mjs';

describe('syntaxes/nir.tmLanguage.json', () => {
  it('is what scripts/grammar.mjs writes', () => {
    assert.equal(readFileSync('syntaxes/nir.tmLanguage.json', 'utf8'), grammarText);
  });
});

it('colours NIR in the code fences of Markdown', () => {
  const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { contributes: { grammars: { path: string; injectTo?: string[] }[] } };
  const injected = manifest.contributes.grammars.find(({ injectTo }) => injectTo?.includes('text.html.markdown'));
  assert.ok(injected);
  const grammar = readFileSync(injected.path, 'utf8');
  assert.ok(grammar.includes('"include": "source.nir"'));
  const { begin } = (JSON.parse(grammar) as { repository: { nir: { begin: string } } }).repository.nir;
  const fence = new RegExp(begin.replace('\\G', '^').replace('(?i:(nir)', '(?:(nir|NIR)'));
  assert.deepEqual(['```nir', '~~~ NIR', '```python', '```nirvana'].map((line) => fence.test(line)), [true, true, false, false]);
});
