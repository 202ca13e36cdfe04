import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

interface LanguageConfiguration {
  wordPattern: string;
  folding: { markers: { start: string; end: string } };
  indentationRules: { increaseIndentPattern: string; decreaseIndentPattern: string };
  onEnterRules: { beforeText: { pattern: string } }[];
}

const configuration = JSON.parse(readFileSync('language-configuration.json', 'utf8')) as LanguageConfiguration;

function words(line: string): string[] {
  return line.match(new RegExp(configuration.wordPattern, 'g')) ?? [];
}

describe('wordPattern', () => {
  it('takes a value, an intrinsic and a size for one word each', () => {
    assert.deepEqual(words('    32x4  %12 = @load_deref (%3) (access=none)'), [
      '32x4', '%12', '@load_deref', '%3', 'access', 'none',
    ]);
    assert.deepEqual(words('vec1 32 div ssa_12 = fadd! ssa_3.xy, -ssa_4'), [
      'vec1', '32', 'div', 'ssa_12', 'fadd', 'ssa_3', 'xy', 'ssa_4',
    ]);
    assert.deepEqual(words('load_const (0x3f800000 = -1.000000)'), ['load_const', '0x3f800000', '-1.000000']);
    assert.deepEqual(words('block b1:  // preds: b0'), ['block', 'b1', 'preds', 'b0']);
  });
});

describe('indentation and folding', () => {
  const opens = new RegExp(configuration.indentationRules.increaseIndentPattern);
  const closes = new RegExp(configuration.indentationRules.decreaseIndentPattern);

  it('indents behind every line that opens a body, with a hint of the printer or without', () => {
    for (const line of ['impl main {', '    if %4 {', 'loop {', '    con loop  // unroll {', '} else {', '} continue {']) {
      assert.match(line, opens);
    }
    for (const line of ['    // if %4 {', '    32 %1 = mov %0', 'source_sha1: {0x00000000}']) {
      assert.doesNotMatch(line, opens);
    }
  });

  it('takes indentation back at a closing brace', () => {
    assert.match('    } else {', closes);
    assert.match('}', closes);
    assert.doesNotMatch('xfb_stride: {0, 0, 0, 0}', closes);
  });

  it('folds a dump from its first line to the end of its function', () => {
    const { start, end } = configuration.folding.markers;
    assert.match('shader: MESA_SHADER_FRAGMENT', new RegExp(start));
    assert.match('}', new RegExp(end));
    assert.doesNotMatch('    }', new RegExp(end));
    assert.doesNotMatch('next_stage: MESA_SHADER_FRAGMENT', new RegExp(start));
  });

  it('has valid expressions for the enter key', () => {
    const [inside] = configuration.onEnterRules;
    assert.ok(inside);
    assert.match('    if %4 {', new RegExp(inside.beforeText.pattern));
    assert.match('    } else {', new RegExp(inside.beforeText.pattern));
    assert.doesNotMatch('source_sha1: {', new RegExp(inside.beforeText.pattern));
  });
});
