import { createElement, Fragment, type ReactNode } from "react";
import { isDisplay } from "../markdown/formula.shared";
import { linkTarget } from "../markdown/link-target.shared";
import { type Inline, isMathAttribute, isMathElement, type MathElement } from "../markdown/tree.shared";
import { CitedLink, CitedText } from "./citations";

function draw(node: string | MathElement): ReactNode {
  if (typeof node === "string") return node;
  const children = node.c.map(draw);
  // Other elements are dropped on the server.
  if (!isMathElement(node.n)) return createElement(Fragment, null, ...children);
  const attributes = Object.entries(node.a ?? {}).filter(([name, value]) => isMathAttribute(name, value));
  return createElement(node.n, Object.fromEntries(attributes), ...children);
}

function Formula({ math, display }: { math: MathElement; display: boolean }) {
  return createElement(
    "math",
    { xmlns: "http://www.w3.org/1998/Math/MathML", ...(display ? { display: "block" } : {}) },
    draw(math),
  );
}

export function inPlace<T>(items: readonly T[], render: (item: T, index: number) => ReactNode): ReactNode {
  return createElement(Fragment, null, ...items.map(render));
}

const LINK = "text-primary-ink underline";

/** A model's link, if it is safe. Nothing else of a model's text becomes an attribute or makes a request. */
function Anchor({ href, label, children }: { href: string; label: string; children: ReactNode }) {
  const target = linkTarget(href);
  if (!target) return <>{children}</>;
  if (target.kind === "own") {
    return (
      <a href={target.href} className={LINK}>
        {children}
      </a>
    );
  }
  return (
    <>
      <a href={target.href} target="_blank" rel="noopener noreferrer nofollow" className={LINK}>
        {children}
      </a>
      {/* Shows the host, since a label can mislead. */}
      {label.trim() !== target.href && (
        <bdi dir="ltr" className="text-muted text-xs">
          {` (${target.destination})`}
        </bdi>
      )}
    </>
  );
}

export function Inlines({ of }: { of: readonly Inline[] }): ReactNode {
  return inPlace(of, inlineOne);
}

function inlineOne(inline: Inline): ReactNode {
  if (typeof inline === "string") return <CitedText text={inline} />;
  switch (inline.t) {
    case "strong":
      return (
        <strong className="font-semibold">
          <Inlines of={inline.c} />
        </strong>
      );
    case "em":
      return (
        <em>
          <Inlines of={inline.c} />
        </em>
      );
    case "del":
      return (
        <del>
          <Inlines of={inline.c} />
        </del>
      );
    case "code":
      return <code>{inline.v}</code>;
    case "br":
      return <br />;
    case "link": {
      const { href, label, c } = inline;
      const anchor = (
        <Anchor href={href} label={label}>
          <Inlines of={c} />
        </Anchor>
      );
      return <CitedLink href={href} text={label} otherwise={anchor} />;
    }
    case "math":
      return inline.m ? (
        <Formula math={inline.m} display={isDisplay(inline.v)} />
      ) : (
        <CitedText text={inline.v} />
      );
    case "image":
      return (
        <Anchor href={inline.href} label={inline.label}>
          Image: {inline.label || "no description"}
        </Anchor>
      );
  }
}
