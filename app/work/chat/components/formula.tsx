import { createElement, Fragment, type ReactNode } from "react";
import { isMathAttribute, isMathElement, type MathElement } from "../markdown/tree.shared";

function draw(node: string | MathElement): ReactNode {
  if (typeof node === "string") return node;
  const children = node.c.map(draw);
  // Other elements are dropped on the server.
  if (!isMathElement(node.n)) return createElement(Fragment, null, ...children);
  const attributes = Object.entries(node.a ?? {}).filter(([name, value]) => isMathAttribute(name, value));
  return createElement(node.n, Object.fromEntries(attributes), ...children);
}

export function Formula({ math, display }: { math: MathElement; display: boolean }) {
  return createElement(
    "math",
    { xmlns: "http://www.w3.org/1998/Math/MathML", ...(display ? { display: "block" } : {}) },
    draw(math),
  );
}
