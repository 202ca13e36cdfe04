import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { OWN_COMMANDS } from '../../src/own-commands';
import { LAUNCH_SETTINGS } from '../../src/settings';

interface Setting {
  default: unknown;
  enum?: string[];
  properties?: Record<string, { enum: string[] }>;
  additionalProperties?: { enum: string[]; enumDescriptions: string[] };
}

interface Manifest {
  contributes: {
    commands: { command: string }[];
    configuration: { properties: Record<string, Setting> };
    languages: { id: string; firstLine: string }[];
  };
  capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Manifest;
const settings = manifest.contributes.configuration.properties;

describe('package.json', () => {
  it('shows exactly the commands that the extension registers', () => {
    assert.deepEqual(manifest.contributes.commands.map(({ command }) => command).sort(), [...OWN_COMMANDS].sort());
  });

  it('keeps a workspace that is not trusted from naming programs', () => {
    assert.deepEqual([...manifest.capabilities.untrustedWorkspaces.restrictedConfigurations].sort(), [...LAUNCH_SETTINGS].sort());
  });

  it('offers the same severities for known and for other passes', () => {
    const passes = settings['nirls.passes'];
    assert.ok(passes?.additionalProperties && passes.properties);
    const severities = ['off', 'hint', 'information', 'warning', 'error'];
    assert.deepEqual(passes.additionalProperties.enum, severities);
    assert.equal(passes.additionalProperties.enumDescriptions.length, severities.length);
    assert.deepEqual(passes.default, {});
    for (const [name, pass] of Object.entries(passes.properties)) {
      assert.match(name, /^[a-z][a-z0-9_]*$/);
      assert.deepEqual(pass.enum, severities, name);
    }
  });

  it('has the settings that the README describes, and no others', () => {
    const described = [...readFileSync('README.md', 'utf8').matchAll(/^\| `(nirls\.[\w.]+)` \| (?:empty|`)/gm)].map((row) => row[1]);
    assert.deepEqual(described.sort(), Object.keys(settings).sort());
  });

  it('knows a dump by its first line', () => {
    const [language] = manifest.contributes.languages;
    assert.ok(language);
    assert.match('shader: MESA_SHADER_FRAGMENT', new RegExp(language.firstLine));
    assert.doesNotMatch('  shader: MESA_SHADER_FRAGMENT', new RegExp(language.firstLine));
  });
});

describe('the package', () => {
  it('holds what the extension needs and nothing else', () => {
    const listed = execFileSync(process.execPath, ['node_modules/@vscode/vsce/vsce', 'ls', '--no-dependencies'], {
      encoding: 'utf8',
    });
    const files = listed.trim().split(/\r?\n/).filter((file) => file !== 'server/nirls.tar.gz');
    assert.deepEqual(files.sort(), [
      'CHANGELOG.md',
      'LICENSE',
      'README.md',
      'dist/extension.js',
      'dist/graph-layout.js',
      'dist/third-party-notices.txt',
      'dist/timeline-page.js',
      'docs/install.md',
      'docs/walkthrough/dump.md',
      'docs/walkthrough/findings.md',
      'docs/walkthrough/passes.md',
      'docs/walkthrough/timeline.md',
      'icons/nir-file.svg',
      'icons/nir.png',
      'language-configuration.json',
      'package.json',
      'syntaxes/markdown-nir.tmLanguage.json',
      'syntaxes/nir.tmLanguage.json',
    ]);
  });

  it('has a lock file without the address of any registry', () => {
    assert.doesNotMatch(readFileSync('package-lock.json', 'utf8'), /"resolved":/);
  });
});
