import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DETECTION_LINES, holdsDump, namePattern } from '../../src/dump-detection';

function holds(lines: string[]): boolean {
  return holdsDump(lines.length, (index) => lines[index] ?? assert.fail(`line ${String(index)} does not exist`));
}

describe('holdsDump', () => {
  it('finds a dump behind log lines', () => {
    assert.equal(holds(['MESA: info: hello', 'nir_lower_returns', 'shader: MESA_SHADER_VERTEX']), true);
    assert.equal(holds(['shader: MESA_SHADER_TESS_CTRL\r']), true);
  });

  it('is not taken in by text about shaders', () => {
    assert.equal(holds([]), false);
    assert.equal(holds(['the line is shader: MESA_SHADER_VERTEX', 'shader: vertex', ' shader: MESA_SHADER_VERTEX']), false);
  });

  it('looks at the beginning of a file only', () => {
    const padding = Array.from({ length: DETECTION_LINES - 1 }, () => 'x');
    assert.equal(holds([...padding, 'shader: MESA_SHADER_VERTEX']), true);
    assert.equal(holds([...padding, 'x', 'shader: MESA_SHADER_VERTEX']), false);
  });
});

describe('namePattern', () => {
  it('is that of the extension', () => {
    assert.equal(namePattern('/logs/run.log'), '*.log');
    assert.equal(namePattern('/logs.d/run.nir.txt'), '*.txt');
  });

  it('is nothing for names without an extension', () => {
    assert.equal(namePattern('/logs.d/run'), undefined);
    assert.equal(namePattern('/logs/.log'), undefined);
  });
});
