import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { serverOnlyCommands } from '../../src/own-commands';

describe('serverOnlyCommands', () => {
  it('leaves out what the extension registers itself', () => {
    assert.deepEqual(serverOnlyCommands(['nirls.runPasses', 'nirls.explain', 'nirls.restart']), ['nirls.explain']);
    assert.deepEqual(serverOnlyCommands([]), []);
  });
});
