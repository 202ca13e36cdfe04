import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  describeLaunch,
  describeMissingServer,
  findOnPath,
  findServer,
  type Lookup,
  type Probes,
  type SearchPath,
} from '../../src/server-lookup';

const searchPath: SearchPath = { value: '/usr/local/bin:/usr/bin', platform: 'linux' };
const unset = { path: '', interpreter: '' };
const own = { interpreter: '/storage/bin/python', bundled: '/extension/bundled/nirls/nirls' };

/** A machine with these programs, of which some are interpreters with nirls. */
function machine(programs: string[], withNirls: string[] = []): Probes {
  return {
    isExecutable: (file) => Promise.resolve(programs.includes(file)),
    hasNirls: (interpreter) => Promise.resolve(withNirls.includes(interpreter)),
  };
}

function foundLaunch(lookup: Lookup) {
  assert.equal(lookup.kind, 'found');
  return lookup.launch;
}

function missingAttempts(lookup: Lookup) {
  assert.equal(lookup.kind, 'missing');
  return lookup.attempts;
}

describe('findServer', () => {
  it('prefers nirls.path over everything', async () => {
    const probes = machine(['/opt/nirls', '/opt/python', '/usr/bin/nirls'], ['/opt/python', '/env/python']);
    const settings = { path: '/opt/nirls', interpreter: '/opt/python' };
    const launch = foundLaunch(await findServer(settings, '/env/python', searchPath, own, probes));
    assert.deepEqual(launch, { source: 'nirls.path', command: '/opt/nirls', args: ['serve'] });
  });

  it('then nirls.interpreter', async () => {
    const probes = machine(['/opt/python', '/usr/bin/nirls'], ['/opt/python', '/env/python']);
    const settings = { path: '', interpreter: '/opt/python' };
    const launch = foundLaunch(await findServer(settings, '/env/python', searchPath, own, probes));
    assert.deepEqual(launch, {
      source: 'nirls.interpreter',
      command: '/opt/python',
      args: ['-m', 'nirls.server', 'serve'],
    });
  });

  it('then the selected Python environment', async () => {
    const probes = machine(['/env/python', '/usr/bin/nirls'], ['/env/python']);
    const launch = foundLaunch(await findServer(unset, '/env/python', searchPath, own, probes));
    assert.equal(launch.source, 'Python environment');
    assert.equal(describeLaunch(launch), '/env/python -m nirls.server serve');
  });

  it('then PATH, when the environment has no nirls or there is none', async () => {
    const probes = machine(['/env/python', '/usr/bin/nirls']);
    for (const environment of ['/env/python', undefined]) {
      const launch = foundLaunch(await findServer(unset, environment, searchPath, own, probes));
      assert.deepEqual(launch, { source: 'PATH', command: '/usr/bin/nirls', args: ['serve'] });
    }
  });

  it('then what it installed itself, then what it came with', async () => {
    const installed = foundLaunch(
      await findServer(unset, undefined, searchPath, own, machine([own.interpreter, own.bundled], [own.interpreter])),
    );
    assert.equal(describeLaunch(installed), '/storage/bin/python -m nirls.server serve');
    const bundled = foundLaunch(await findServer(unset, undefined, searchPath, own, machine([own.interpreter, own.bundled])));
    assert.deepEqual(bundled, { source: 'bundled with the extension', command: own.bundled, args: ['serve'] });
    const users = machine(['/usr/bin/nirls', own.interpreter, own.bundled], [own.interpreter]);
    assert.equal(foundLaunch(await findServer(unset, undefined, searchPath, own, users)).source, 'PATH');
  });

  it('looks up a setting without a folder on PATH', async () => {
    const probes = machine(['/usr/bin/nirls-dev', '/usr/bin/python3'], ['/usr/bin/python3']);
    const byPath = await findServer({ path: 'nirls-dev', interpreter: '' }, undefined, searchPath, own, probes);
    assert.equal(foundLaunch(byPath).command, '/usr/bin/nirls-dev');
    const byInterpreter = await findServer({ path: '', interpreter: 'python3' }, undefined, searchPath, own, probes);
    assert.equal(foundLaunch(byInterpreter).command, '/usr/bin/python3');
  });

  it('does not pass over a wrong setting, even with a server elsewhere', async () => {
    const probes = machine(['/opt/python', '/usr/bin/nirls'], ['/env/python']);
    const wrongPath = missingAttempts(await findServer({ path: '/no/nirls', interpreter: '' }, '/env/python', searchPath, own, probes));
    assert.deepEqual(wrongPath, [{ source: 'nirls.path', reason: '/no/nirls is not a program' }]);
    const noSuchPython = missingAttempts(await findServer({ path: '', interpreter: '/no/python' }, '/env/python', searchPath, own, probes));
    assert.deepEqual(noSuchPython, [{ source: 'nirls.interpreter', reason: '/no/python is not a program' }]);
    const bare = missingAttempts(await findServer({ path: '', interpreter: '/opt/python' }, '/env/python', searchPath, own, probes));
    assert.deepEqual(bare, [{ source: 'nirls.interpreter', reason: 'nirls is not installed in /opt/python' }]);
  });

  it('tells every place it looked at', async () => {
    const attempts = missingAttempts(await findServer(unset, '/env/python', searchPath, own, machine(['/env/python'])));
    assert.deepEqual(
      attempts.map((attempt) => attempt.source),
      ['Python environment', 'PATH'],
    );
    const message = describeMissingServer(attempts);
    assert.match(message, /nirls is not installed in \/env\/python\./);
    assert.match(message, /no program called nirls/);
  });
});

describe('findOnPath', () => {
  it('takes the first folder that has the program', async () => {
    const probes = machine(['/usr/local/bin/nirls', '/usr/bin/nirls']);
    assert.equal(await findOnPath('nirls', searchPath, probes), '/usr/local/bin/nirls');
  });

  it('passes over empty and relative folders', async () => {
    const probes = machine(['nirls', 'bin/nirls', './nirls']);
    assert.equal(await findOnPath('nirls', { value: ':bin:.', platform: 'linux' }, probes), undefined);
  });

  it('looks for an .exe on Windows, never for a script that needs a shell', async () => {
    const probes = machine(['C:\\Py\\nirls.exe', 'C:\\Cmd\\nirls.cmd', 'C:\\Cmd\\nirls']);
    const windows: SearchPath = { value: 'C:\\Cmd;C:\\Py', platform: 'win32' };
    assert.equal(await findOnPath('nirls', windows, probes), 'C:\\Py\\nirls.exe');
    assert.equal(await findOnPath('nirls.exe', windows, probes), 'C:\\Py\\nirls.exe');
  });
});
