import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { machineProbes, pythonEnvironmentVariables } from '../../src/machine-probes';

let folder: string;

/** A stand-in for an interpreter, since a test machine need not have Python. */
function script(name: string, body: string): string {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

describe('machineProbes', { skip: process.platform === 'win32' ? 'needs a POSIX shell' : false }, () => {
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'nirls-probes-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('tells programs from other files, folders and nothing', async () => {
    const plain = join(folder, 'plain');
    writeFileSync(plain, '');
    const subfolder = join(folder, 'subfolder');
    mkdirSync(subfolder);
    assert.equal(await machineProbes.isExecutable(script('program', 'exit 0')), true);
    assert.equal(await machineProbes.isExecutable(plain), false);
    assert.equal(await machineProbes.isExecutable(subfolder), false);
    assert.equal(await machineProbes.isExecutable(join(folder, 'nothing')), false);
  });

  it('asks the interpreter for nirls.server', async () => {
    const asked = 'case "$1 $2 $3" in "-I -c "*nirls.server*) exit 0;; esac; exit 3';
    assert.equal(await machineProbes.hasNirls(script('with', asked)), true);
    assert.equal(await machineProbes.hasNirls(script('without', 'exit 1')), false);
    assert.equal(await machineProbes.hasNirls(join(folder, 'nothing')), false);
  });

  it('asks in an empty folder, where nobody has put a module', async () => {
    assert.equal(await machineProbes.hasNirls(script('empty', 'test -z "$(ls -A)"')), true);
  });

  it('keeps Python from importing the opened folder', async () => {
    assert.equal(pythonEnvironmentVariables()['PYTHONSAFEPATH'], '1');
    assert.equal(await machineProbes.hasNirls(script('safe', 'test "$PYTHONSAFEPATH" = 1')), true);
  });
});
