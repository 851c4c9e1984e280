import {
  type ComponentType,
  createElement,
  Fragment,
  memo,
  type ReactNode,
  useEffect,
  useState,
} from "react";
import { withBase, withoutBase } from "~/core/base-path";
import { CopyButton } from "~/ui/copy-button";
import { useHydrated } from "~/ui/hydration";
import { inBatches, RenderBatch } from "~/ui/render-batch";
import { ScrollRegion } from "~/ui/scroll-region";
import { type ShownBlockProps, shownKind } from "../drawing/shown-block";
import { isDisplay } from "../markdown/formula.shared";
import { linkTarget, saysAddress } from "../markdown/link-target.shared";
import {
  type Align,
  type Block,
  directionOf,
  type Inline,
  isMathAttribute,
  isMathElement,
  type MathElement,
  type RenderedText,
} from "../markdown/tree.shared";
import { CitedLink, CitedText } from "./citations";
import { CodeText } from "./highlight";
import { PlainText } from "./plain-text";

/** Diagrams of which only the code is shown. */
const DIAGRAMS: ReadonlySet<string> = new Set(["plantuml", "dot", "graphviz"]);

interface CodeBlockProps {
  code: string;
  language?: string | undefined;
  /** Whether its end is still to come. */
  isOpen?: boolean | undefined;
}

const drawn = () => import("../drawing/drawn-block").then(({ DrawnBlock }) => DrawnBlock);
const SHOWN_BLOCKS = {
  mermaid: drawn,
  svg: drawn,
  html: () => import("../drawing/html-block").then(({ HtmlBlock }) => HtmlBlock),
};
const loadedBlocks = new Map<string, ComponentType<ShownBlockProps>>();

/** What shows a block, once a page has one; the code stands until then, and without script. */
function useShownBlock(
  kind: ShownBlockProps["kind"] | undefined,
): ComponentType<ShownBlockProps> | undefined {
  const hydrated = useHydrated();
  const [, setCount] = useState(0);
  const loaded = kind && loadedBlocks.get(kind);
  useEffect(() => {
    if (!kind || loaded) return;
    SHOWN_BLOCKS[kind]().then(
      (Block) => {
        loadedBlocks.set(kind, Block);
        setCount((count) => count + 1);
      },
      () => undefined,
    );
  }, [kind, loaded]);
  return hydrated ? loaded : undefined;
}

function CodeBlock({ code, language, isOpen }: CodeBlockProps) {
  const name = language?.trim().split(/\s/)[0] ?? "";
  const kind = isOpen ? undefined : shownKind(name, code);
  const ShownBlock = useShownBlock(kind);
  const text = <CodeText code={code} name={name} />;
  if (kind && ShownBlock) {
    return (
      <ShownBlock kind={kind} name={name} code={code}>
        {text}
      </ShownBlock>
    );
  }
  return (
    <figure className="overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex min-h-9 items-center justify-between border-line border-b pr-1 pl-3 text-muted text-xs">
        <span>
          {name || "text"}
          {DIAGRAMS.has(name.toLowerCase()) && " · diagram shown as code"}
        </span>
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      {text}
    </figure>
  );
}

const BLOCKS = 30;
const ROWS = 60;

function Sliced<T>({
  items,
  size,
  render,
}: {
  items: readonly T[];
  size: number;
  render: (item: T) => ReactNode;
}) {
  if (items.length <= size) return <>{inPlace(items, render)}</>;
  return (
    <>
      {inPlace(inBatches(items, size), (part) => (
        <RenderBatch>{inPlace(part, render)}</RenderBatch>
      ))}
    </>
  );
}

const ALIGN = { left: "text-left", center: "text-center", right: "text-right" };
const alignOf = (align: readonly Align[], index: number) => {
  const side = align[index];
  return side ? ALIGN[side] : undefined;
};

function TableBlock({ table }: { table: Extract<Block, { t: "table" }> }) {
  const { align, head, rows } = table;
  return (
    <ScrollRegion label="Table" className="scroll-x rounded-md border border-line">
      <table dir={directionOf(table)} className="w-full border-collapse">
        <thead className="bg-sunken">
          <tr>
            {inPlace(head, (cell, index) => (
              <th scope="col" dir="auto" className={alignOf(align, index)}>
                <Inlines of={cell} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Sliced
            items={rows}
            size={ROWS}
            render={(row) => (
              <tr className="border-line border-t">
                {inPlace(row, (cell, index) => (
                  <td dir="auto" className={alignOf(align, index)}>
                    <Inlines of={cell} />
                  </td>
                ))}
              </tr>
            )}
          />
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function ListBlock({ list, text }: { list: Extract<Block, { t: "list" }>; text: string }) {
  const { start, items } = list;
  const dir = directionOf(list);
  const drawn = (
    <Sliced
      items={items}
      size={ROWS}
      render={(item) => (
        <li className={isTask(item) ? "task-item" : undefined}>
          <Blocks of={item} text={text} />
        </li>
      )}
    />
  );
  return start === null ? (
    <ul dir={dir}>{drawn}</ul>
  ) : (
    <ol dir={dir} start={start}>
      {drawn}
    </ol>
  );
}

function isTask([first]: readonly Block[]): boolean {
  const begin = first && (first.t === "line" || first.t === "p") ? first.c[0] : undefined;
  return typeof begin === "string" && /^[☐☑] /.test(begin);
}

const BlockView = memo(function BlockView({ block, text, level, isOpen }: BlockProps): ReactNode {
  switch (block.t) {
    case "heading": {
      // Within a list or quote it isn't in the page's outline.
      const Heading = level ? (`h${level}` as "h2") : "p";
      return (
        <Heading dir="auto" className={level ? undefined : "font-semibold"}>
          <Inlines of={block.c} />
        </Heading>
      );
    }
    case "p":
      return (
        <p dir="auto">
          <Inlines of={block.c} />
        </p>
      );
    case "line":
      return <Inlines of={block.c} />;
    case "code":
      return <CodeBlock code={block.v} language={block.lang} isOpen={isOpen} />;
    case "quote":
      return (
        <blockquote dir={directionOf(block)}>
          <Blocks of={block.c} text={text} />
        </blockquote>
      );
    case "list":
      return <ListBlock list={block} text={text} />;
    case "table":
      return <TableBlock table={block} />;
    case "hr":
      return <hr className="border-line" />;
    case "plain":
      return <PlainBlock text={text.slice(block.from, block.to)} isUnread={block.unread === true} />;
  }
}, isSame);

interface BlockProps {
  block: Block;
  text: string;
  level?: number | undefined;
  isOpen?: boolean | undefined;
}

function isSame(before: BlockProps, after: BlockProps): boolean {
  const [one, other] = [before.block, after.block];
  if (one !== other && !(one.t === "plain" && other.t === "plain" && one.unread === other.unread))
    return false;
  if (before.isOpen !== after.isOpen) return false;
  return before.level === after.level && textOf(before) === textOf(after);
}

const textOf = ({ block, text }: BlockProps) => (block.t === "plain" ? text.slice(block.from, block.to) : "");

function PlainBlock({ text, isUnread }: { text: string; isUnread: boolean }) {
  return (
    <div className="space-y-1">
      {!isUnread && (
        <p className="text-muted text-xs">Shown as plain text because it is too long or complex to format.</p>
      )}
      <PlainText text={text.trimEnd()} />
    </div>
  );
}

function Blocks({ of, text }: { of: readonly Block[]; text: string }): ReactNode {
  return inPlace(of, (block) => <BlockView block={block} text={text} />);
}

/** Whether a text ends in code whose fence isn't closed, as one does that is still written or was cut. */
export const hasOpenEnd = ({ blocks }: RenderedText, text: string): boolean =>
  blocks.at(-1)?.t === "code" && !/(?:```|~~~)\s*$/.test(text.slice(-20));

/** Draws a parsed text. Memoized: an update during hydration of a long one would make React give up. */
export const MarkdownTree = memo(function MarkdownTree({ tree, text }: { tree: RenderedText; text: string }) {
  const levels = headingLevels(tree.blocks);
  const end = tree.blocks.at(-1);
  const isOpen = hasOpenEnd(tree, text);
  return (
    <Sliced
      items={tree.blocks}
      size={BLOCKS}
      render={(block) => (
        <BlockView block={block} text={text} level={levels.get(block)} isOpen={isOpen && block === end} />
      )}
    />
  );
});

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

function inPlace<T>(items: readonly T[], render: (item: T, index: number) => ReactNode): ReactNode {
  return createElement(Fragment, null, ...items.map(render));
}

const LINK = "text-primary-ink underline";

/** A model's link, if it is safe. Nothing else of a model's text becomes an attribute or makes a request. */
function Anchor({ href, label, children }: { href: string; label: string; children: ReactNode }) {
  const target = linkTarget(href);
  if (!target) return <>{children}</>;
  if (target.kind === "own") {
    return (
      <a href={withBase(withoutBase(target.href))} className={LINK}>
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
      {!saysAddress(label, target.href) && (
        <bdi dir="ltr" className="text-muted text-xs">
          {` (${target.destination})`}
        </bdi>
      )}
    </>
  );
}

function Inlines({ of }: { of: readonly Inline[] }): ReactNode {
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
      return <code dir="ltr">{inline.v}</code>;
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

/**
 * Levels below the page's `h1` without gaps. A level depends only on what is before it, so that it stays while the
 * answer grows.
 */
export function headingLevels(blocks: readonly Block[]): ReadonlyMap<Block, number> {
  const open: number[] = [];
  const levels = new Map<Block, number>();
  for (const block of blocks) {
    if (block.t !== "heading") continue;
    while ((open.at(-1) ?? 0) >= block.depth) open.pop();
    open.push(block.depth);
    levels.set(block, Math.min(6, open.length + 1));
  }
  return levels;
}
