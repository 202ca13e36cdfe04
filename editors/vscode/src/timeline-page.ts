/** The page of the timeline without its contents, which its script draws. */
export function timelinePage(script: string, source: string, nonce: string): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}' ${source}; style-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">${STYLE}</style></head>
<body>
<form id="filters" role="search" aria-label="Filter the passes">
<label>Name <input id="name" type="search" size="14" placeholder="opt_dce"></label>
<label>Stage <select id="stage"></select></label>
<label>Changes <input id="touches" type="search" size="10" placeholder="%12 or VAR1"></label>
<label><input id="changed" type="checkbox" checked> Changed only</label>
<label><input id="different" type="checkbox"> Result differs</label>
<label>Follow <input id="value" type="search" size="7" placeholder="%12"></label>
<span id="status" role="status" aria-live="polite"></span>
</form>
<main>
<div id="passes" role="listbox" tabindex="0" aria-label="Passes of each shader"></div>
<section id="right" aria-label="What the pass changed">
<header>
<h2 id="title"></h2>
<div role="toolbar" aria-label="Comparison">
<button id="previous" type="button" title="Previous change (p)">↑ Change</button>
<button id="next" type="button" title="Next change (n)">↓ Change</button>
<button id="pin" type="button" aria-pressed="false" title="Compare other passes with this snapshot (b)">Compare from Here</button>
<button id="blame" type="button" aria-pressed="false" title="Which pass changed each line last">Blame</button>
<button id="values" type="button" title="Show both snapshots with the values of the counterexample" hidden>Values</button>
<button id="native" type="button" title="Open both snapshots in the diff editor">Diff Editor</button>
<button id="log" type="button" title="Go to the line in the log (Enter)">Go to Log</button>
</div>
</header>
<div id="history" hidden></div>
<div id="content" tabindex="0" role="grid" aria-label="Differences, before and after"></div>
</section>
</main>
<script nonce="${nonce}" src="${script}"></script>
</body></html>`;
}

const STYLE = `
html, body { height: 100%; margin: 0; padding: 0; overflow: hidden; }
body { display: flex; flex-direction: column; color: var(--vscode-editor-foreground); background: var(--vscode-editor-background); font-size: 13px; }
#filters { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; padding: 6px 10px; border-bottom: 1px solid var(--vscode-panel-border, #8884); }
#filters label { display: inline-flex; gap: 5px; align-items: center; white-space: nowrap; }
input, select { color: var(--vscode-input-foreground); background: var(--vscode-input-background); border: 1px solid var(--vscode-input-border, #8886); padding: 2px 4px; font: inherit; }
button { color: var(--vscode-button-secondaryForeground); background: var(--vscode-button-secondaryBackground); border: 1px solid var(--vscode-button-border, transparent); padding: 2px 8px; font: inherit; cursor: pointer; border-radius: 2px; }
button:hover { background: var(--vscode-button-secondaryHoverBackground); }
button[aria-pressed=true] { color: var(--vscode-button-foreground); background: var(--vscode-button-background); }
:focus-visible { outline: 1px solid var(--vscode-focusBorder); outline-offset: -1px; }
main { flex: 1; display: grid; grid-template-columns: minmax(15rem, 30%) 1fr; min-height: 0; }
#passes { overflow: auto; border-right: 1px solid var(--vscode-panel-border, #8884); padding-bottom: 1rem; }
#passes h3 { position: sticky; top: 0; margin: 0; padding: 4px 10px; font-size: 12px; background: var(--vscode-sideBarSectionHeader-background, var(--vscode-editor-background)); color: var(--vscode-sideBarSectionHeader-foreground, inherit); z-index: 1; overflow-wrap: anywhere; }
#passes h3 small { font-weight: normal; opacity: 0.85; }
.pass { display: grid; grid-template-columns: 2.2em 1fr auto; gap: 0 6px; padding: 2px 10px; cursor: pointer; content-visibility: auto; contain-intrinsic-size: auto 2.6em; }
.pass:hover { background: var(--vscode-list-hoverBackground); }
.pass[aria-selected=true] { background: var(--vscode-list-inactiveSelectionBackground); color: var(--vscode-list-inactiveSelectionForeground, inherit); outline: 1px solid var(--vscode-contrastActiveBorder, transparent); outline-offset: -1px; }
#passes:focus .pass[aria-selected=true] { background: var(--vscode-list-activeSelectionBackground); color: var(--vscode-list-activeSelectionForeground); }
.pass .number, .pass .counts { opacity: 0.8; font-size: 11px; }
.pass .number { text-align: right; padding-top: 1px; }
.pass .name { overflow-wrap: anywhere; }
.pass .counts { grid-column: 2 / 4; }
.pass.idle .name { opacity: 0.65; }
.marks { display: inline-flex; gap: 6px; font-size: 11px; }
.pass[aria-selected=false] .different, .pass[aria-selected=false] .error { color: var(--vscode-list-errorForeground, #c72e0f); }
.pass[aria-selected=false] .unchecked, .pass[aria-selected=false] .warning { color: var(--vscode-list-warningForeground, #855f00); }
.event { font-weight: bold; }
#passes .base { border-left: 3px solid var(--vscode-focusBorder); padding-left: 7px; }
#right { display: flex; flex-direction: column; min-width: 0; min-height: 0; }
#right header { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; justify-content: space-between; padding: 5px 10px; border-bottom: 1px solid var(--vscode-panel-border, #8884); }
h2 { margin: 0; font-size: 13px; font-weight: 600; overflow-wrap: anywhere; }
[role=toolbar] { display: flex; flex-wrap: wrap; gap: 4px; }
#history { max-height: 30%; overflow: auto; padding: 4px 10px; border-bottom: 1px solid var(--vscode-panel-border, #8884); }
#history ol { margin: 2px 0; padding: 0; list-style: none; }
#history button { display: block; width: 100%; text-align: left; background: none; color: inherit; border: none; font-family: var(--vscode-editor-font-family); overflow-wrap: anywhere; }
#history button:hover { background: var(--vscode-list-hoverBackground); }
#content { flex: 1; overflow: auto; font-family: var(--vscode-editor-font-family, monospace); font-size: var(--vscode-editor-font-size, 13px); line-height: 1.4; }
.row { display: grid; grid-template-columns: 3.4em 1fr 3.4em 1fr; }
.blame .row { grid-template-columns: 18em 4.5em 1fr; }
.line { text-align: right; padding-right: 8px; color: var(--vscode-editorLineNumber-foreground); user-select: none; }
.code { white-space: pre-wrap; overflow-wrap: anywhere; padding-left: calc(4px + 4em); text-indent: -4em; min-width: 0; border-right: 1px solid var(--vscode-panel-border, #8882); }
.changed .before.code:not(.none) { background: var(--vscode-diffEditor-removedLineBackground, #f002); }
.changed .after.code:not(.none) { background: var(--vscode-diffEditor-insertedLineBackground, #0b02); }
.changed .none { background: repeating-linear-gradient(-45deg, transparent 0 6px, var(--vscode-diffEditor-diagonalFill, #8883) 6px 7px); }
.before .differs { background: var(--vscode-diffEditor-removedTextBackground, #f004); }
.after .differs { background: var(--vscode-diffEditor-insertedTextBackground, #0b04); }
.row.cursor > * { box-shadow: inset 0 1px var(--vscode-focusBorder), inset 0 -1px var(--vscode-focusBorder); }
.gap { text-align: center; padding: 1px; }
.gap button { width: 100%; opacity: 0.85; }
.value { cursor: pointer; color: var(--vscode-symbolIcon-variableForeground, inherit); }
.value:hover { text-decoration: underline; }
.value.followed { background: var(--vscode-editor-findMatchHighlightBackground, #fd06); outline: 1px solid var(--vscode-focusBorder); }
.comment { color: var(--vscode-descriptionForeground); font-style: italic; }
.name-token { color: var(--vscode-symbolIcon-functionForeground, inherit); }
.number-token { color: var(--vscode-debugTokenExpression-number, inherit); }
.divergent { font-weight: bold; }
.who { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; padding: 0 8px; cursor: pointer; color: var(--vscode-textLink-foreground); }
.empty { padding: 1rem; }
`;
