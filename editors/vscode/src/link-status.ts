/** The links of a document: the result of `nirls/linkStatus`. */
export interface LinkStatus {
  readonly dumps: readonly DumpLinks[];
  /** What is not known yet of the document; null if everything is. */
  readonly pending?: string | null;
}

/** A dump with the pipelines it is in. Numbers and lines count from 0. */
export interface DumpLinks {
  readonly number: number;
  readonly stage: string | null;
  readonly name: string | null;
  readonly links: readonly Link[];
  readonly whyNot: string | null;
  /** The status in one line. */
  readonly text: string;
}

export interface Link {
  readonly pipeline: string;
  readonly kind: string;
  readonly reason: string;
  readonly with: readonly { readonly uri: string; readonly file: string; readonly number: number; readonly stage: string }[];
}

export interface LinkText {
  readonly text: string;
  readonly tooltip: string;
}

/** The status bar text for the dump at the cursor; undefined if there is none. */
export function describeLinks(status: LinkStatus): LinkText | undefined {
  const links = linksOf(status);
  if (status.pending == null) {
    return links;
  }
  const text = links === undefined ? '$(history)' : `${links.text} $(history)`;
  return { text, tooltip: [`Pending: ${status.pending}`, ...(links === undefined ? [] : [links.tooltip])].join('\n') };
}

function linksOf(status: LinkStatus): LinkText | undefined {
  const dump = status.dumps[0];
  if (dump === undefined) {
    return undefined;
  }
  const stage = dump.stage ?? 'dump';
  if (dump.links.length === 0) {
    return { text: `$(debug-disconnect) ${stage}`, tooltip: titled(dump, dump.text) };
  }
  const partners = [...new Set(dump.links.flatMap((link) => link.with.map((partner) => partner.stage)))];
  const reasons = dump.links.map((link) => `Pipeline ${link.pipeline}: ${link.reason}`);
  return { text: `$(link) ${stage} – ${partners.join(', ')}`, tooltip: titled(dump, [dump.text, ...reasons].join('\n')) };
}

function titled(dump: DumpLinks, text: string): string {
  const name = [dump.stage, dump.name].filter((word) => word !== null).join(' ');
  return `Dump ${String(dump.number + 1)}${name === '' ? '' : ` (${name})`}: ${text}`;
}
