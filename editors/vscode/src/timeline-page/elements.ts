/** An element with a class, attributes and children; texts are never read as HTML. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  options: { class?: string; attributes?: Record<string, string> } = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  if (options.class !== undefined) {
    made.className = options.class;
  }
  for (const [key, value] of Object.entries(options.attributes ?? {})) {
    made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

/** The element of the page with an id. */
export function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const found = document.getElementById(id);
  if (!(found instanceof type)) {
    throw new Error(`the page has no ${id}`);
  }
  return found;
}
