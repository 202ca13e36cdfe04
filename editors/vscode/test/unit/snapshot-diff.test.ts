import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definedValue, describeDiff, diffRows, firstChange, nextChange, ownNumber, tokensOf, type Hunk, type SnapshotDiff } from '../../src/snapshot-diff';

const HEADER = ['shader: MESA_SHADER_VERTEX', 'name: a', '', 'impl main {'];
const EQUAL = Array.from({ length: 20 }, (_, number) => `    32    %${String(number)} = mov %0`);

function diffOf(before: string[], after: string[], hunks: Hunk[], first: SnapshotDiff['first']): SnapshotDiff {
  const lines = (texts: string[], start: number): number[] => texts.map((_, number) => start + number);
  return {
    before: before.join('\n') + '\n',
    after: after.join('\n') + '\n',
    same: false,
    first,
    hunks,
    beforeLines: lines(before, 10),
    afterLines: lines(after, 100),
    numbers: { main: { '30': 7 } },
  };
}

const before = [...HEADER, ...EQUAL, '    32    %20 = fmul %1, %2', '    32    %21 = fneg %20', '}'];
const after = ['shader: MESA_SHADER_VERTEX', 'name: b', '', 'impl main {', ...EQUAL, '    32    %30 = ffma %1, %2', '    32    %21 = fneg %30', '}'];
const diff = diffOf(
  before,
  after,
  [
    { equal: true, before: [0, 1], after: [0, 1] },
    { equal: false, before: [1, 2], after: [1, 2] },
    { equal: true, before: [2, 24], after: [2, 24] },
    { equal: false, before: [24, 26], after: [24, 26] },
    { equal: true, before: [26, 27], after: [26, 27] },
  ],
  { before: 24, after: 24 },
);
const rows = diffRows(diff);

describe('diffRows', () => {
  it('has gaps for long equal runs, which keep their rows', () => {
    const gaps = rows.filter(({ kind }) => kind === 'gap');
    assert.equal(gaps.length, 1);
    assert.equal(gaps[0]?.hidden?.length, 22 - 8);
    assert.equal(rows.length - 1 + (gaps[0].hidden.length), 27);
  });

  it('puts lines that define the same value beside each other', () => {
    const pair = rows.find(({ after: side }) => side?.text.includes('%21'));
    assert.match(pair?.before?.text ?? '', /%21 = fneg %20/);
    assert.deepEqual([pair?.before?.line, pair?.after?.line], [35, 125]);
  });

  it('starts at the first line of code that changed, not in the header', () => {
    assert.match(rows[firstChange(rows, diff)]?.after?.text ?? '', /ffma/);
    assert.match(rows[firstChange(rows, { ...diff, first: null })]?.after?.text ?? '', /name: b/);
    assert.equal(firstChange([], diff), 0);
  });

  it('steps from change to change', () => {
    const code = firstChange(rows, diff);
    assert.equal(nextChange(rows, 0, 1), 1);
    assert.equal(nextChange(rows, 1, 1), code);
    assert.equal(nextChange(rows, code, -1), 1);
    assert.equal(nextChange(rows, code, 1), undefined);
  });

  it('is summed up', () => {
    assert.equal(describeDiff(rows), '3 lines removed, 3 lines added');
    assert.equal(describeDiff([]), 'no difference');
  });
});

describe('ownNumber', () => {
  it('is the number in the dump', () => {
    const side = rows[firstChange(rows, diff)]?.after;
    assert.ok(side);
    assert.equal(ownNumber(diff, side, 30), 7);
    assert.equal(ownNumber(diff, side, 21), 21);
  });
});

describe('definedValue', () => {
  it('knows modern, divergent, named and older lines', () => {
    assert.equal(definedValue('    32x4  %12 = fmul %1, %2'), '%12');
    assert.equal(definedValue('    div 32    %3.color = mov %1'), '%3');
    assert.equal(definedValue('\tvec1 32 ssa_0 = load_const (0x0 = 0.0)'), 'ssa_0');
    assert.equal(definedValue('    @store_output (%1, %2) (base=0)'), undefined);
  });
});

describe('tokensOf', () => {
  it('marks the tokens that the other side does not have', () => {
    const tokens = tokensOf('32 %1 = fmul %2, %3', '32 %1 = fmul %2, %4');
    assert.deepEqual(tokens.filter(({ differs }) => differs).map(({ text }) => text), ['%3']);
    assert.equal(tokens.map(({ text }) => text).join(''), '32 %1 = fmul %2, %3');
    assert.ok(tokensOf('a', undefined).every(({ differs }) => !differs));
  });

  it('knows values, names and comments', () => {
    const kinds = tokensOf('div 32 %1 = @load_ubo (%0 (0x1)) // a %2', undefined).map(({ kind }) => kind);
    assert.deepEqual([...new Set(kinds)], ['divergent', 'plain', 'value', 'name', 'number', 'comment']);
  });
});
