import { createElement, Fragment, type ReactNode } from "react";
import { isMathAttribute, isMathElement, type MathElement } from "../markdown/tree.schema";

function draw(node: string | MathElement): ReactNode {
  if (typeof node === "string") return node;
  const children = node.c.map(draw);
  // The server keeps no other element; a tree that says otherwise loses its frame alone.
  if (!isMathElement(node.n)) return createElement(Fragment, null, ...children);
  const attributes = Object.entries(node.a ?? {}).filter(([name, value]) => isMathAttribute(name, value));
  return createElement(node.n, Object.fromEntries(attributes), ...children);
}

/** A typeset formula, in the browser's own mathematics: no script, no font of ours. */
export function Formula({ math, display }: { math: MathElement; display: boolean }) {
  return createElement(
    "math",
    { xmlns: "http://www.w3.org/1998/Math/MathML", ...(display ? { display: "block" } : {}) },
    draw(math),
  );
}
