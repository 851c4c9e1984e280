import { isBlock, isElement, isSilent, isText, nameOf, ownText, walk } from "./walk";

interface Weight {
  /** Characters of an element's text without white space. */
  length: number;
  linked: number;
  /** Those that Readability kept. */
  kept: number;
  headings: number;
  rows: number;
}

const NOTHING: Weight = { length: 0, linked: 0, kept: 0, headings: 0, rows: 0 };

const isHeading = (name: string) => /^H[1-6]$/.test(name);

const withoutSpace = (text: string) => text.replace(/\s+/g, "");

/** The texts of a tree, as `weigh` compares them. */
export function textsOf(root: Node): Set<string> {
  const texts = new Set<string>();
  walk(root, (node) => {
    if (isSilent(node)) return false;
    texts.add(withoutSpace(ownText(node)));
    return true;
  });
  return texts;
}

/** Weighs every element, hidden ones too. */
function weigh(root: Node, kept: ReadonlySet<string>): Map<Node, Weight> {
  const weights = new Map<Node, Weight>();
  const add = (node: Node | null, more: Weight) => {
    const weight = node && weights.get(node);
    if (!weight) return;
    weight.length += more.length;
    weight.linked += more.linked;
    weight.kept += more.kept;
    weight.headings += more.headings;
    weight.rows += more.rows;
  };
  walk(
    root,
    (node) => {
      const isKnown = isElement(node) && !isSilent(node, { hidden: false });
      const name = nameOf(node);
      if (isKnown)
        weights.set(node, { ...NOTHING, headings: isHeading(name) ? 1 : 0, rows: name === "TR" ? 1 : 0 });
      const text = withoutSpace(isKnown || isText(node) ? ownText(node) : "");
      const own = { ...NOTHING, length: text.length, kept: kept.has(text) ? text.length : 0 };
      if (own.length > 0) add(isKnown ? node : node.parentNode, own);
      return isKnown;
    },
    (node) => {
      const weight = weights.get(node) ?? NOTHING;
      add(node.parentNode, nameOf(node) === "A" ? { ...weight, linked: weight.length } : weight);
    },
  );
  return weights;
}

/** A word of a class or id: `cookieBanner` and `cookie-banner` have two. */
const wordsOf = (element: Element) =>
  `${element.getAttribute("class") ?? ""} ${element.getAttribute("id") ?? ""}`
    .slice(0, 500)
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z]+/);

const hasWord = (element: Element, words: ReadonlySet<string>) =>
  wordsOf(element).some((word) => words.has(word));

const setOf = (words: string) => new Set(words.split(" "));

/** What asks for something or waits, and isn't the page's content. */
const NOISE = setOf(
  "ad ads advert advertisement consent cookie cookies gdpr lightbox loader loading login modal newsletter overlay " +
    "popup promo signin signup spinner sponsor sponsored subscribe template toast tooltip",
);
/** Names of what leads elsewhere. A menu of dishes has such a name, but no links. */
const LINKS = setOf(
  "banner breadcrumb breadcrumbs comments footer header menu nav navbar navigation pager pagination recommendations " +
    "recommended related search share sharing sidebar skip social toolbar",
);
const NOISE_ROLES = setOf(
  "alert alertdialog banner contentinfo dialog menu menubar navigation search status toolbar",
);
const NOISE_TAGS = setOf("DIALOG NAV BUTTON");

const MAX_LINKED = 0.5;
const MAX_LINKED_BY_NAME = 0.25;
/** Characters of a part that stands on its own; a shorter one is a label or a button. */
const MIN_PART = 25;

function isNoise(element: Element, { length, linked }: Weight): boolean {
  if (NOISE_TAGS.has(nameOf(element)) || NOISE_ROLES.has(element.getAttribute("role") ?? "")) return true;
  if (hasWord(element, NOISE)) return true;
  return hasWord(element, LINKS) && (linked > length * MAX_LINKED_BY_NAME || length < MIN_PART);
}

/** Parts of a table, a list or a paragraph go or stay with it. */
const isPart = (name: string) =>
  isBlock(name) && !/^(?:BODY|CAPTION|D[DT]|LI|T(?:BODY|[DHR]|FOOT|HEAD))$/.test(name);

const isSection = (node: Node) => /^(?:ARTICLE|MAIN)$/.test(nameOf(node));

function isSurrounding(element: Element, weight: Weight, isInside: boolean): boolean {
  const name = nameOf(element);
  if (isNoise(element, weight) || weight.linked > weight.length * MAX_LINKED) return true;
  if (isInside || isHeading(name)) return false;
  if (name === "FOOTER" || (name === "HEADER" && weight.headings === 0)) return true;
  return weight.length < MIN_PART && weight.headings === 0 && name !== "TABLE";
}

/** Share of a part's text that Readability kept, from which its children are judged one by one. */
const MIN_KEPT = 0.2;

/**
 * Removes what Readability left out of a page and isn't content: menus, banners, footers. It leaves out much more, such
 * as tables in tabs, notes at the side and headings.
 * @param kept the texts of its article
 * @returns how many parts were removed
 */
export function removeSurroundings(root: Node, kept: ReadonlySet<string>): number {
  const weights = weigh(root, kept);
  const total = weights.get(root)?.length ?? 0;
  const removed: Element[] = [];
  /** Content in which only noise is removed. */
  const accepted = new Set<Node>();
  const inside = new Set<Node>();
  walk(root, (node) => {
    const weight = weights.get(node);
    if (!isElement(node) || !weight || isSilent(node)) return false;
    const parent = node.parentNode;
    const isInside = isSection(node) || (parent !== null && inside.has(parent));
    if (isInside) inside.add(node);
    if (parent && accepted.has(parent)) accepted.add(node);
    const isKept = weight.kept >= weight.length * MIN_KEPT;
    // Readability keeps some banners. The page itself may have such a name, too.
    const isKeptNoise = isKept && hasWord(node, NOISE) && weight.length < total * MIN_KEPT;
    if (!isPart(nameOf(node)) || weight.length === 0 || (isKept && !isKeptNoise)) return true;
    const isLeftOut = accepted.has(node) ? isNoise(node, weight) : isSurrounding(node, weight, isInside);
    if (isLeftOut) removed.push(node);
    else accepted.add(node);
    return !isLeftOut;
  });
  for (const element of removed) element.remove();
  return removed.length;
}

/** Names of what a click shows. */
const PANELS = setOf(
  "accordion answer collapse collapsible content description details expand expandable faq more pane panel section " +
    "specification specifications specs spoiler tab tabcontent tabpane tabs toggle",
);
const PANEL_ROLES = setOf("tabpanel region");
/** Characters of a hidden part without such a name that is content nonetheless. */
const MIN_HIDDEN = 140;
const NOT_DISPLAYED = /display\s{0,3}:\s{0,3}none\s{0,3}(?:!important)?\s{0,3};?/gi;

/** The ids that tabs, buttons and links of a page show. */
function controlledIds(elements: Iterable<Element>): Set<string> {
  const ids = new Set<string>();
  for (const element of elements)
    for (const name of ["aria-controls", "data-target", "data-bs-target", "href"]) {
      const value = element.getAttribute(name) ?? "";
      if (name !== "href" || /^#./.test(value))
        for (const id of value.split(/\s+/, 9)) ids.add(id.replace(/^#/, ""));
    }
  ids.delete("");
  return ids;
}

function hidesParts(root: Node): boolean {
  let hides = false;
  walk(root, (node) => {
    if (isElement(node) && !isSilent(node, { hidden: false }))
      hides ||= isSilent(node) || node.getAttribute("aria-hidden") === "true";
    return !hides;
  });
  return hides;
}

/**
 * Shows what a page hides until a click, such as tabs and accordions. Menus, banners, templates and second copies of
 * visible text stay hidden.
 * @returns how many parts with text stay hidden
 */
export function revealContent(root: Node): number {
  if (!hidesParts(root)) return 0;
  const visible = textsOf(root);
  const weights = weigh(root, visible);
  const elements = [...weights.keys()].filter(isElement);
  const controlled = controlledIds(elements);
  let hidden = 0;
  for (const element of elements) {
    const weight = weights.get(element) ?? NOTHING;
    if (weight.length === 0) continue;
    if (
      element.getAttribute("aria-hidden") === "true" &&
      isBlock(nameOf(element)) &&
      !isNoise(element, weight)
    )
      element.removeAttribute("aria-hidden");
    if (!isSilent(element)) continue;
    if (isContent(element, weight, controlled)) {
      element.removeAttribute("hidden");
      element.setAttribute("style", (element.getAttribute("style") ?? "").replace(NOT_DISPLAYED, ""));
    } else hidden += 1;
  }
  return hidden;
}

function isContent(element: Element, weight: Weight, controlled: ReadonlySet<string>): boolean {
  if (isNoise(element, weight) || weight.linked > weight.length * MAX_LINKED) return false;
  const name = nameOf(element);
  if (element.getAttribute("hidden") === "until-found" || controlled.has(element.getAttribute("id") ?? ""))
    return true;
  if (PANEL_ROLES.has(element.getAttribute("role") ?? "") || hasWord(element, PANELS)) return true;
  // A button shows further rows and items.
  if (/^(?:LI|TR|TBODY|D[DT])$/.test(name)) return true;
  const isCopy = weight.kept > weight.length * 0.8;
  return !isCopy && (weight.length >= MIN_HIDDEN || weight.rows > 1);
}
