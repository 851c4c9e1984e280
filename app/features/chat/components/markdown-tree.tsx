import { memo, type ReactNode } from "react";
import { cx } from "~/ui/class-names";
import { ScrollRegion } from "~/ui/scroll-region";
import { inParts, Slice } from "~/ui/slice";
import type { Align, Block, RenderedText } from "../markdown/tree.schema";
import { CodeBlock } from "./code-block";
import { Inlines, inPlace } from "./markdown-inline";
import { PlainText } from "./plain-text";

/** Blocks, rows and items that are drawn in one turn. */
const BLOCKS = 30;
const ROWS = 60;

/** Parts of something long, each in a turn of its own; of something short in none. */
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
      {inPlace(inParts(items, size), (part) => (
        <Slice>{inPlace(part, render)}</Slice>
      ))}
    </>
  );
}

const ALIGN = { left: "text-left", center: "text-center", right: "text-right" };
const alignOf = (align: readonly Align[], index: number) => ALIGN[align[index] ?? "left"];

function TableBlock({ table: { align, head, rows } }: { table: Extract<Block, { t: "table" }> }) {
  return (
    <ScrollRegion label="Table" className="overflow-x-auto rounded-md border border-line">
      <table className="w-full border-collapse text-sm">
        <thead className="bg-sunken">
          <tr>
            {inPlace(head, (cell, index) => (
              <th scope="col" dir="auto" className={cx("px-3 py-2 font-medium", alignOf(align, index))}>
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
                  <td dir="auto" className={cx("px-3 py-2 align-top", alignOf(align, index))}>
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

function ListBlock({ list: { start, items }, text }: { list: Extract<Block, { t: "list" }>; text: string }) {
  const drawn = (
    <Sliced
      items={items}
      size={ROWS}
      render={(item) => (
        <li className="pl-1">
          <Blocks of={item} text={text} />
        </li>
      )}
    />
  );
  if (start === null) return <ul className="ml-5 list-disc space-y-1">{drawn}</ul>;
  return (
    <ol start={start} className="ml-5 list-decimal space-y-1">
      {drawn}
    </ol>
  );
}

/** A model's headings begin below the page's own. */
const HEADINGS = ["h3", "h4", "h5", "h6", "h6", "h6"] as const;

const BlockView = memo(function BlockView({ block, text }: { block: Block; text: string }): ReactNode {
  switch (block.t) {
    case "heading": {
      const Heading = HEADINGS[block.depth - 1] ?? "h6";
      return (
        <Heading dir="auto" className="pt-1 font-semibold text-md">
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
      return <CodeBlock code={block.v} language={block.lang} />;
    case "quote":
      return (
        <blockquote className="space-y-2 border-line border-l-2 pl-3 text-muted">
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
      return <PlainBlock text={text.slice(block.from, block.to)} />;
  }
}, isSame);

interface BlockProps {
  block: Block;
  text: string;
}

function isSame(before: BlockProps, after: BlockProps): boolean {
  if (before.block !== after.block && !(before.block.t === "plain" && after.block.t === "plain"))
    return false;
  return textOf(before) === textOf(after);
}

/** What of the whole text a block is drawn from. */
const textOf = ({ block, text }: BlockProps) => (block.t === "plain" ? text.slice(block.from, block.to) : "");

function PlainBlock({ text }: { text: string }) {
  return (
    <div className="space-y-1">
      <p className="text-muted text-xs">Shown as plain text: too long or too complex to format.</p>
      <PlainText text={text.trimEnd()} />
    </div>
  );
}

function Blocks({ of, text }: { of: readonly Block[]; text: string }): ReactNode {
  return inPlace(of, (block) => <BlockView block={block} text={text} />);
}

/** A text by its tree: no HTML of the text's own ever reaches the page. */
export function MarkdownTree({ tree, text }: { tree: RenderedText; text: string }) {
  return (
    <Sliced items={tree.blocks} size={BLOCKS} render={(block) => <BlockView block={block} text={text} />} />
  );
}
