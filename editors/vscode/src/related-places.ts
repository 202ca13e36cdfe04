/** A position of a text, both numbers from 0. */
interface Position {
  readonly line: number;
  readonly character: number;
}

interface Place<Uri, Range> {
  readonly uri: Uri;
  readonly range: Range;
}

/** A diagnostic of VS Code, as far as its related places need it. */
export interface RelatingDiagnostic<Uri, Range> {
  readonly source?: string | undefined;
  readonly message: string;
  readonly range: Range;
  readonly relatedInformation?: readonly { readonly location: Place<Uri, Range>; readonly message: string }[] | undefined;
}

/** A range that findings elsewhere refer to. */
export interface RelatedPlace<Range> {
  readonly range: Range;
  /** What each finding says about the range, as Markdown with a link to the finding. */
  readonly findings: readonly string[];
}

/**
 * The related places of findings in a document, each once.
 * A range that has a finding of its own is left out.
 */
export function relatedPlaces<Uri extends { toString(): string }, Range extends { readonly start: Position; readonly end: Position }>(
  all: readonly (readonly [Uri, readonly RelatingDiagnostic<Uri, Range>[]])[],
  document: string,
): RelatedPlace<Range>[] {
  const found = new Map<string, { range: Range; findings: string[] }>();
  const taken = new Set<string>();
  for (const [uri, diagnostics] of all) {
    const isHere = uri.toString() === document;
    for (const finding of diagnostics.filter(({ source }) => source === 'nirls')) {
      if (isHere) {
        taken.add(keyOf(finding.range));
      }
      for (const { location, message } of finding.relatedInformation ?? []) {
        if (location.uri.toString() !== document) {
          continue;
        }
        const key = keyOf(location.range);
        const place = found.get(key) ?? { range: location.range, findings: [] };
        found.set(key, place);
        place.findings.push(`${message}: [${escapeMarkdown(finding.message)}](${linkTo(uri, finding.range)})`);
      }
    }
  }
  return [...found].filter(([key]) => !taken.has(key)).map(([, place]) => place);
}

function keyOf({ start, end }: { start: Position; end: Position }): string {
  return [start.line, start.character, end.line, end.character].join(':');
}

function linkTo(uri: { toString(): string }, { start }: { start: Position }): string {
  return `${uri.toString()}#L${String(start.line + 1)},${String(start.character + 1)}`;
}

function escapeMarkdown(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+\-.!<>&|~$]/g, '\\$&');
}
