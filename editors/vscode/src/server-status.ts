import type { LinkText } from './link-status';
import { describeLaunch, describeMissingServer, type Attempt, type Launch } from './server-lookup';

/** The status of the server for the status bar. */
export type ServerStatus =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting'; readonly launch: Launch }
  | { readonly kind: 'running'; readonly launch: Launch; readonly version: string | undefined }
  | { readonly kind: 'missing'; readonly attempts: readonly Attempt[] }
  | { readonly kind: 'failed'; readonly launch: Launch; readonly reason: string };

export interface StatusText {
  readonly text: string;
  readonly tooltip: string;
  readonly severity: 'normal' | 'warning' | 'error';
  /** The command that a click runs. */
  readonly command: 'nirls.showOutput' | 'nirls.restart';
}

export function describeStatus(status: ServerStatus): StatusText {
  switch (status.kind) {
    case 'stopped':
      return {
        text: '$(circle-slash) NIR',
        tooltip: 'The NIR language server is not running. Click to start it.',
        severity: 'normal',
        command: 'nirls.restart',
      };
    case 'starting':
      return {
        text: '$(loading~spin) NIR',
        tooltip: `Starting ${describeLaunch(status.launch)}`,
        severity: 'normal',
        command: 'nirls.showOutput',
      };
    case 'running':
      return {
        text: '$(circuit-board) NIR',
        tooltip: `nirls${status.version === undefined ? '' : ` ${status.version}`} is running: ${describeLaunch(status.launch)} (from ${status.launch.source}). Click for its output.`,
        severity: 'normal',
        command: 'nirls.showOutput',
      };
    case 'missing':
      return {
        text: '$(warning) NIR',
        tooltip: `${describeMissingServer(status.attempts)} Click to look again.`,
        severity: 'warning',
        command: 'nirls.restart',
      };
    case 'failed':
      return {
        text: '$(error) NIR',
        tooltip: `${describeLaunch(status.launch)} failed: ${status.reason}. Click to restart it.`,
        severity: 'error',
        command: 'nirls.restart',
      };
  }
}

/** Adds the linked stages of the dump at the cursor to the status of a server that runs. */
export function withLinks(status: StatusText, links: LinkText | undefined): StatusText {
  if (links === undefined || status.severity !== 'normal') {
    return status;
  }
  return { ...status, text: links.text, tooltip: `${links.tooltip}\n\n${status.tooltip}` };
}
