import { common, createLowlight } from "lowlight";
import { Fragment, type ReactNode } from "react";

const lowlight = createLowlight(common);
/** Longer code stays plain: colouring it would block the page. */
const LIMIT = 50_000;

type Node = ReturnType<typeof lowlight.highlight>["children"][number];

function toReact(nodes: Node[]): ReactNode {
  return nodes.map((node, index) => {
    const key = `${index}:${node.type}`;
    if (node.type === "text") return <Fragment key={key}>{node.value}</Fragment>;
    if (node.type !== "element") return null;
    const names = node.properties.className;
    return (
      <span key={key} className={Array.isArray(names) ? names.join(" ") : undefined}>
        {toReact(node.children as Node[])}
      </span>
    );
  });
}

/** Code with its words marked by `hljs-…` classes; a language that isn't known gives the code back. Loaded when used. */
export function highlight(code: string, language: string): ReactNode {
  if (code.length > LIMIT || !lowlight.registered(language)) return code;
  return toReact(lowlight.highlight(language, code).children);
}
