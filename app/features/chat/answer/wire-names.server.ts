/** A tool's name on the wire: model APIs allow only `[a-zA-Z0-9_-]`, at most 64 characters. */
export function wireName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
}
