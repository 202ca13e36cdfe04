import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { expandSetting, readLaunchSettings, type Substitutions } from '../../src/settings';

const substitutions: Substitutions = {
  home: '/home/ada',
  workspaceFolder: '/src/mesa',
  environment: { VIRTUAL_ENV: '/opt/venv' },
};

describe('expandSetting', () => {
  it('replaces a leading tilde only', () => {
    assert.equal(expandSetting('~/bin/nirls', substitutions), '/home/ada/bin/nirls');
    assert.equal(expandSetting('~', substitutions), '/home/ada');
    assert.equal(expandSetting('/a~/b', substitutions), '/a~/b');
    assert.equal(expandSetting('~bob/nirls', substitutions), '~bob/nirls');
  });

  it('replaces variables anywhere', () => {
    assert.equal(expandSetting('${workspaceFolder}/.venv/bin/python', substitutions), '/src/mesa/.venv/bin/python');
    assert.equal(expandSetting('${env:VIRTUAL_ENV}/bin:${userHome}', substitutions), '/opt/venv/bin:/home/ada');
  });

  it('does not take the value of a variable for a pattern', () => {
    const odd = { ...substitutions, workspaceFolder: '/src/$&/$1' };
    assert.equal(expandSetting('${workspaceFolder}/x', odd), '/src/$&/$1/x');
  });

  it('makes an unset environment variable empty and keeps what is unknown', () => {
    assert.equal(expandSetting('${env:NO_SUCH}/nirls', substitutions), '/nirls');
    assert.equal(expandSetting('${file}/nirls', substitutions), '${file}/nirls');
    assert.equal(
      expandSetting('${workspaceFolder}/nirls', { ...substitutions, workspaceFolder: undefined }),
      '${workspaceFolder}/nirls',
    );
  });

  it('trims', () => {
    assert.equal(expandSetting('  /usr/bin/nirls \n', substitutions), '/usr/bin/nirls');
  });
});

describe('readLaunchSettings', () => {
  it('reads both settings and expands them', () => {
    const values: Record<string, unknown> = { path: '~/nirls', interpreter: '${workspaceFolder}/python' };
    assert.deepEqual(
      readLaunchSettings((name) => values[name], substitutions),
      { path: '/home/ada/nirls', interpreter: '/src/mesa/python' },
    );
  });

  it('takes what is not a string for unset', () => {
    const values: Record<string, unknown> = { path: null, interpreter: 3 };
    assert.deepEqual(
      readLaunchSettings((name) => values[name], substitutions),
      { path: '', interpreter: '' },
    );
  });
});
