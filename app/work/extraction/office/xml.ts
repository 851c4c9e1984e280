import { SaxesParser } from "saxes";

export interface XmlHandler {
  /** Element names have no prefix, attribute names do. */
  open?(name: string, attributes: Record<string, string>): void;
  text?(text: string): void;
  close?(name: string): void;
}

const localName = (name: string) => name.slice(name.indexOf(":") + 1);

/** Reads XML without building a tree. Refuses declared entities. @throws Error if it isn't well-formed */
export function readXml(bytes: Uint8Array, handler: XmlHandler): void {
  const parser = new SaxesParser();
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", (tag) =>
    handler.open?.(localName(tag.name), tag.attributes as Record<string, string>),
  );
  parser.on("text", (text) => handler.text?.(text));
  parser.on("closetag", (tag) => handler.close?.(localName(tag.name)));
  parser.write(new TextDecoder().decode(bytes)).close();
}
