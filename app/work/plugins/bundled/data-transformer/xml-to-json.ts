import { SaxesParser } from "saxes";
import { AppError } from "~/core/errors";

const MAX_DEPTH = 100;
const MAX_NODES = 50_000;

type Node = Record<string, unknown>;

function addValue(parent: Node, name: string, value: unknown): void {
  const present = Object.hasOwn(parent, name) ? parent[name] : undefined;
  if (present === undefined) Object.defineProperty(parent, name, { value, enumerable: true, writable: true });
  else if (Array.isArray(present)) present.push(value);
  else parent[name] = [present, value];
}

/**
 * Attributes begin with "@", mixed text is "#text".
 * @throws AppError `unprocessable` if malformed, too deep or too large
 */
export function xmlToJson(xml: string): unknown {
  const parser = new SaxesParser();
  const root: Node = {};
  const open: { name: string; node: Node; text: string }[] = [{ name: "", node: root, text: "" }];
  let nodes = 0;
  parser.on("opentag", ({ name, attributes }) => {
    nodes += 1;
    if (open.length > MAX_DEPTH || nodes > MAX_NODES)
      throw new AppError("unprocessable", "The XML is too deep or too large.");
    const node: Node = {};
    for (const [key, value] of Object.entries(attributes)) addValue(node, `@${key}`, value);
    open.push({ name, node, text: "" });
  });
  const appendText = (piece: string) => {
    const last = open.at(-1);
    if (last) last.text += piece;
  };
  parser.on("text", appendText);
  parser.on("cdata", appendText);
  parser.on("closetag", () => {
    const closed = open.pop();
    const parent = open.at(-1);
    if (!closed || !parent) return;
    const text = closed.text.trim();
    const isPlain = Object.keys(closed.node).length === 0;
    if (!isPlain && text) addValue(closed.node, "#text", text);
    addValue(parent.node, closed.name, isPlain ? text : closed.node);
  });
  parser.on("error", (error) => {
    throw new AppError("unprocessable", `The XML isn't well-formed: ${error.message.slice(0, 200)}`, {
      cause: error,
    });
  });
  parser.write(xml).close();
  return root;
}
