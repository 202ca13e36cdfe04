// Bundles the extension (`--production`, `--watch`) or its unit tests (`--tests`) with esbuild.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import * as esbuild from 'esbuild';

const flags = new Set(process.argv.slice(2));
const production = flags.has('--production');

const common = {
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'cjs',
  logLevel: 'info',
};

const extension = {
  ...common,
  entryPoints: ['src/extension.ts'],
  outfile: 'dist/extension.js',
  external: ['vscode', './graph-layout.js'],
  minify: production,
  sourcemap: !production,
  legalComments: 'none',
  metafile: true,
};

/** Graphviz, which is large and which most sessions never need: loaded when the first picture is drawn. */
const graphLayout = {
  ...extension,
  entryPoints: ['src/graph-layout.ts'],
  outfile: 'dist/graph-layout.js',
};

/** The script of the timeline's page, which runs in a webview. */
const timelinePage = {
  ...extension,
  platform: 'browser',
  target: 'es2022',
  format: 'iife',
  entryPoints: ['src/timeline-page/main.ts'],
  outfile: 'dist/timeline-page.js',
};

const tests = {
  ...common,
  entryPoints: readdirSync('test/unit')
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/unit/${name}`),
  outdir: 'build/test',
  sourcemap: 'inline',
};

/** The licences of all packages that ended up in the bundles, which their terms ask to ship with them. */
function thirdPartyNotices(metafiles) {
  const folders = new Set(
    metafiles
      .flatMap(({ inputs }) => Object.keys(inputs))
      .map((input) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0])
      .filter((folder) => folder !== undefined),
  );
  return [...folders]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const text = file === undefined ? '' : readFileSync(`${folder}/${file}`, 'utf8').trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

if (flags.has('--tests')) {
  rmSync('build/test', { recursive: true, force: true });
  await esbuild.build(tests);
} else if (flags.has('--watch')) {
  await Promise.all([esbuild.build(graphLayout), esbuild.build(timelinePage)]);
  const context = await esbuild.context(extension);
  await context.watch();
} else {
  rmSync('dist', { recursive: true, force: true });
  const built = await Promise.all([extension, graphLayout, timelinePage].map((bundle) => esbuild.build(bundle)));
  writeFileSync('dist/third-party-notices.txt', thirdPartyNotices(built.map(({ metafile }) => metafile)));
}
