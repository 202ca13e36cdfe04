import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { relatedPlaces, type RelatingDiagnostic } from '../../src/related-places';

const VERTEX = 'file:///a.vert.nir';
const FRAGMENT = 'file:///a.frag.nir';

type Range = ReturnType<typeof range>;

function range(line: number): { start: { line: number; character: number }; end: { line: number; character: number } } {
  return { start: { line, character: 4 }, end: { line, character: 9 } };
}

function finding(line: number, relatedLines: Record<string, number[]>, source = 'nirls'): RelatingDiagnostic<string, Range> {
  const relatedInformation = Object.entries(relatedLines).flatMap(([uri, lines]) =>
    lines.map((one) => ({ location: { uri, range: range(one) }, message: 'read here' })),
  );
  return { source, message: 'VAR1[0] is *dead*', range: range(line), relatedInformation };
}

describe('relatedPlaces', () => {
  it('finds the places in the document, with a link to the finding in another', () => {
    const all = [[VERTEX, [finding(3, { [FRAGMENT]: [7], [VERTEX]: [5] })]]] as const;
    assert.deepEqual(relatedPlaces(all, FRAGMENT), [
      { range: range(7), findings: ['read here: [VAR1\\[0\\] is \\*dead\\*](file:///a.vert.nir#L4,5)'] },
    ]);
    assert.deepEqual(
      relatedPlaces(all, VERTEX).map((place) => place.range.start.line),
      [5],
    );
  });

  it('joins findings at one place, and leaves a place out that has a finding itself', () => {
    const all = [[VERTEX, [finding(3, { [VERTEX]: [5, 6] }), finding(6, { [VERTEX]: [5] })]]] as const;
    const places = relatedPlaces(all, VERTEX);
    assert.deepEqual(
      places.map((place) => [place.range.start.line, place.findings.length]),
      [[5, 2]],
    );
  });

  it('leaves diagnostics of other sources out', () => {
    assert.deepEqual(relatedPlaces([[VERTEX, [finding(3, { [VERTEX]: [5] }, 'other')]]], VERTEX), []);
  });
});
