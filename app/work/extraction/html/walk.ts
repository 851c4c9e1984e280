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
    "ADDRESS ARTICLE ASIDE BLOCKQUOTE BODY CAPTION DD DETAILS DIALOG DIV DL DT FIELDSET FIGCAPTION FIGURE FOOTER FORM H1 H2 " +
    "H3 H4 H5 H6 HEADER HR LI MAIN NAV OL P PRE SECTION SUMMARY TABLE TBODY TD TFOOT TH THEAD TR UL"
  ).split(" "),
);

export const isBlock = (name: string) => BLOCKS.has(name);

/** @param options.hidden whether what the page hides has nothing to say either */
export function isSilent(node: Node, { hidden = true } = {}): boolean {
  if (isText(node)) return false;
  if (!isElement(node)) return node.nodeType === 8;
  if (SILENT.has(nameOf(node))) return true;
  return hidden && isHidden(node);
}

/** Beside what isn't displayed, signs for the eye alone, such as a heading's link to itself. */
function isHidden(element: Element): boolean {
  return (
    element.hasAttribute("hidden") ||
    (nameOf(element) === "DIALOG" && !element.hasAttribute("open")) ||
    /display\s{0,3}:\s{0,3}none/i.test(element.getAttribute("style") ?? "") ||
    (element.getAttribute("aria-hidden") === "true" && !isBlock(nameOf(element)))
  );
}

/** A file's name, or a word for any picture. */
const NO_ALT = /^(?:[\w%.-]+\.(?:jpe?g|png|gif|svg|webp)|image|img|icon|logo|photo|picture|bild|foto)$/i;

/** The text that stands for a picture; empty if it has none. */
export function altText(image: Element): string {
  const alt = (image.getAttribute("alt") ?? "").replace(/\s+/g, " ").trim();
  return NO_ALT.test(alt) ? "" : alt;
}

/** Whether the caption beside it says the same. Others aren't compared: one caption may stand among many pictures. */
function isInCaption(image: Element, alt: string): boolean {
  return [image.previousElementSibling, image.nextElementSibling].some(
    (other) => other && nameOf(other) === "FIGCAPTION" && flatText(other).replace(/\s+/g, " ").trim() === alt,
  );
}

/** What a node itself says, apart from its children. */
export function ownText(node: Node): string {
  if (isText(node)) return node.nodeValue ?? "";
  if (!isElement(node) || nameOf(node) !== "IMG") return "";
  const alt = altText(node);
  return alt && !isInCaption(node, alt) ? ` ${alt} ` : "";
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
      if (isSilent(node)) return false;
      parts.push(ownText(node));
      if (nameOf(node) === "BR") parts.push("\n");
      separate(node);
      return true;
    },
    separate,
  );
  return parts.join("");
}
