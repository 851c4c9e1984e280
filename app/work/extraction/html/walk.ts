interface Step {
  node: Node;
  depth: number;
  done?: true;
}

/**
 * Walks a tree in document order, without recursion: the depth is untrusted.
 * @param enter returns whether to visit the node's children; `leave` is called only if it did
 */
export function walk(
  root: Node,
  enter: (node: Node, depth: number) => boolean,
  leave: (node: Node) => void = () => undefined,
): void {
  const steps: Step[] = [{ node: root, depth: 0 }];
  for (let step = steps.pop(); step; step = steps.pop()) {
    const { node, depth } = step;
    if (step.done) {
      leave(node);
      continue;
    }
    if (!enter(node, depth)) continue;
    steps.push({ node, depth, done: true });
    for (let child = node.lastChild; child; child = child.previousSibling) {
      steps.push({ node: child, depth: depth + 1 });
    }
  }
}

const TEXT_NODE = 3;
const ELEMENT_NODE = 1;

export const isText = (node: Node) => node.nodeType === TEXT_NODE;
export const isElement = (node: Node): node is Element => node.nodeType === ELEMENT_NODE;
export const nameOf = (node: Node) => node.nodeName.toUpperCase();

const SILENT = new Set(
  "TITLE SCRIPT STYLE NOSCRIPT TEMPLATE IFRAME OBJECT SVG HEAD SELECT CANVAS AUDIO VIDEO".split(" "),
);
const BLOCKS = new Set(
  (
    "ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION DD DETAILS DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 " +
    "H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL"
  ).split(" "),
);

export const isBlock = (name: string) => BLOCKS.has(name);

export function isSilent(node: Node): boolean {
  if (isText(node)) return false;
  if (!isElement(node)) return node.nodeType === 8;
  return (
    SILENT.has(nameOf(node)) ||
    node.hasAttribute("hidden") ||
    /display\s{0,3}:\s{0,3}none/i.test(node.getAttribute("style") ?? "")
  );
}

/** A tree's text with a space at the end of blocks and lines, or unchanged if `verbatim`. */
export function flatText(root: Node, verbatim = false): string {
  const parts: string[] = [];
  const separate = (node: Node) => {
    if (isBlock(nameOf(node)) && !verbatim) parts.push(" ");
  };
  walk(
    root,
    (node) => {
      if (isText(node)) parts.push(node.nodeValue ?? "");
      if (isSilent(node)) return false;
      if (nameOf(node) === "BR") parts.push("\n");
      separate(node);
      return true;
    },
    separate,
  );
  return parts.join("");
}
