import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { environmentInterpreter, installSteps } from '../../src/install-steps';

describe('installSteps', () => {
  it('makes an environment, installs the given sources into it, and tries them', () => {
    const steps = installSteps('/usr/bin/python3', '/storage/server', '/extension/server/nirls.tar.gz', 'linux');
    assert.deepEqual(
      steps.map(({ command, args }) => [command, args[1], args.at(-1)]),
      [
        ['/usr/bin/python3', 'venv', '/storage/server'],
        ['/storage/server/bin/python', 'pip', '/extension/server/nirls.tar.gz'],
        ['/storage/server/bin/python', 'nirls.server', '--version'],
      ],
    );
  });

  it('knows where the interpreter is on each platform', () => {
    assert.equal(environmentInterpreter('C:\\s', 'win32'), 'C:\\s\\Scripts\\python.exe');
    assert.equal(environmentInterpreter('/s', 'darwin'), '/s/bin/python');
  });
});
