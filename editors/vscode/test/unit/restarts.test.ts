import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Restarts } from '../../src/restarts';

describe('Restarts', () => {
  it('allows three in three minutes', () => {
    const restarts = new Restarts();
    assert.deepEqual([0, 1, 2, 3].map((now) => restarts.mayRestart(now)), [true, true, true, false]);
  });

  it('forgets what was long ago', () => {
    const restarts = new Restarts();
    assert.ok([0, 100_000, 200_000, 300_000, 400_000].every((now) => restarts.mayRestart(now)));
  });
});
