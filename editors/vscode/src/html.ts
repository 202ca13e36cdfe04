const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for an element or a quoted attribute; control characters become spaces. */
export function escaped(text: string): string {
  return text.replace(/\p{Cc}/gu, ' ').replace(/[&<>"']/g, (one) => ENTITIES[one] ?? '');
}
