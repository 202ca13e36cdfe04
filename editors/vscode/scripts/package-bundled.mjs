// Packages the extension with the server in bundled/, for the platform that this runs on.
import { existsSync, readFileSync, writeFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';

if (!existsSync('bundled/nirls')) {
  console.error('There is no server in bundled/nirls: make vsix builds one.');
  process.exit(1);
}
const target = `${process.platform}-${process.arch}`;
const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
// Its own list of files: that of the other package leaves the server out.
const ignore = '.vscodeignore-bundled';
writeFileSync(ignore, `${readFileSync('.vscodeignore', 'utf8').trimEnd()}\n!bundled/**\n`);
const args = ['package', '--no-dependencies', '--allow-missing-repository', '--no-rewrite-relative-links'];
const packed = spawnSync('npx', ['vsce', ...args, '--target', target, '--ignoreFile', ignore, '-o', `nirls-${version}-${target}.vsix`], {
  stdio: 'inherit',
});
rmSync(ignore);
process.exit(packed.status ?? 1);
