import type { Sniffed } from "./format";

const OLE = "\xd0\xcf\x11\xe0";

/** Whether an old Office container (OLE2) has a stream of this name somewhere. Its directory is UTF-16. */
export function hasStream({ bytes, start }: Sniffed, name: string): boolean {
  if (!start.startsWith(OLE)) return false;
  const container = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return container.includes(Buffer.from(`${name}\0`, "utf16le"));
}

/**
 * Opens an old Office container.
 * @returns a function that finds a stream's bytes by its name in the root
 * @throws Error if it is damaged
 */
export async function openOle(bytes: Uint8Array): Promise<(name: string) => Buffer | undefined> {
  const { CFB } = await import("@e965/xlsx");
  const container = CFB.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length), { type: "buffer" });
  return (name) => {
    const content: unknown = CFB.find(container, `/${name}`)?.content;
    return content instanceof Uint8Array
      ? Buffer.from(content.buffer, content.byteOffset, content.length)
      : undefined;
  };
}
