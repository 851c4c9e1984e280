import { Fragment } from "react";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { cx } from "~/ui/class-names";
import { Table } from "~/ui/table";
import type { TextPage } from "../../documents.schema";
import {
  findFirstOverlap,
  headingId,
  type LaidOutBlock,
  layoutText,
  markPieces,
  type Range,
  type TextRow,
} from "./layout-text";

interface DocumentTextProps {
  page: TextPage;
  passage?: Range | undefined;
  quote?: Range | undefined;
  pageLabel: (number: number) => string;
  /** Where a page is shown as a picture, if it can be. */
  pictureOf?: (number: number) => string | undefined;
}

export function DocumentText({ page, passage, quote, pageLabel, pictureOf }: DocumentTextProps) {
  const blocks = layoutText(page);
  const target = quote ?? passage;
  const first = target && findFirstOverlap(blocks, target);
  const renderRange = (range: Range) => (
    <MarkedText
      key={range.start}
      page={page}
      range={range}
      passage={passage}
      quote={quote}
      anchor={range === first}
    />
  );
  return (
    <div className="prose-qd max-w-[75ch]">
      {blocks.map((laid, index) => {
        const before = blocks[index - 1]?.block.page;
        const { page: number } = laid.block;
        return (
          <div key={laid.block.start} className="min-w-0">
            {number !== undefined && number !== before && (
              <PageMark label={pageLabel(number)} picture={pictureOf?.(number)} />
            )}
            <BlockView laid={laid} renderRange={renderRange} pageLabel={pageLabel} />
          </div>
        );
      })}
    </div>
  );
}

type RenderRange = (range: Range) => JSX.Element;

interface BlockViewProps extends Pick<DocumentTextProps, "pageLabel"> {
  laid: LaidOutBlock;
  renderRange: RenderRange;
}

function BlockView({ laid: { block, rows }, renderRange, pageLabel }: BlockViewProps) {
  const content = rows.flatMap(({ ranges }) => ranges).map(renderRange);
  switch (block.kind) {
    case "heading": {
      // The page's title is the h1.
      const Heading = `h${Math.min(6, (block.level ?? 1) + 1)}` as "h2";
      return (
        <Heading id={headingId(block)} className="scroll-mt-28">
          {content}
        </Heading>
      );
    }
    case "code":
      return (
        <pre className="whitespace-pre-wrap rounded-md border border-line bg-sunken px-3 py-2.5">
          <code>{content}</code>
        </pre>
      );
    case "quote":
      return <blockquote className="whitespace-pre-line">{content}</blockquote>;
    case "list":
      return <List rows={rows} renderRange={renderRange} />;
    case "table":
      return (
        <Cells
          rows={rows}
          header={block.header && !block.continued}
          page={block.page}
          pageLabel={pageLabel}
          renderRange={renderRange}
        />
      );
    default:
      return <p className="whitespace-pre-line">{content}</p>;
  }
}

function List({ rows, renderRange }: { rows: TextRow[]; renderRange: RenderRange }) {
  return (
    <ul className="list-none pl-0!">
      {rows.map(({ ranges, depth, marker, task }) => (
        <li
          key={ranges[0]?.start}
          className="grid grid-cols-[auto_minmax(0,1fr)] gap-2"
          style={{ paddingInlineStart: `${Math.min(depth, 6) * 1.25}rem` }}
        >
          <span className="text-muted tabular-nums">
            {task ? <TaskBox task={task} /> : /\d/.test(marker) ? marker : "•"}
          </span>
          <span>
            {ranges.map((range, index) => (
              <span key={range.start} className={cx(index > 0 && "block")}>
                {renderRange(range)}
              </span>
            ))}
          </span>
        </li>
      ))}
    </ul>
  );
}

const TASKS = { done: ["Done", "☑"], open: ["Open", "☐"] } as const;

function TaskBox({ task }: { task: keyof typeof TASKS }) {
  const [label, box] = TASKS[task];
  return (
    <span role="img" aria-label={label}>
      {box}
    </span>
  );
}

interface CellsProps extends Pick<DocumentTextProps, "pageLabel"> {
  rows: TextRow[];
  header: boolean | undefined;
  page: number | undefined;
  renderRange: RenderRange;
}

const CELL = "wrap-break-word border-line px-3 py-1.5 align-top not-last:border-r";

function Cells({ rows, header, page, pageLabel, renderRange }: CellsProps) {
  const [first, ...rest] = rows;
  const body = header ? rest : rows;
  return (
    <Table caption={page === undefined ? "Table" : `Table, ${pageLabel(page)}`}>
      {header && first && (
        <thead>
          <tr className="border-line border-b">
            {first.ranges.map((range) => (
              <th key={range.start} scope="col" className={cx(CELL, "font-medium text-muted text-xs")}>
                {renderRange(range)}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {body.map(({ ranges }) => (
          <tr key={ranges[0]?.start} className="border-line not-last:border-b">
            {ranges.map((range) => (
              <td key={range.start} className={CELL}>
                {renderRange(range)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function PageMark({ label, picture }: { label: string; picture: string | undefined }) {
  return (
    <p className="mt-2 mb-3 flex items-center gap-3 text-muted text-xs tabular-nums before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {picture ? (
        <a
          href={withBase(picture)}
          title="As a picture"
          className="underline underline-offset-4 hover:text-ink"
        >
          {label}
        </a>
      ) : (
        label
      )}
    </p>
  );
}

interface MarkedTextProps extends Omit<DocumentTextProps, "pageLabel"> {
  range: Range;
  anchor: boolean;
}

const MARKS = {
  faint: "bg-warning/12",
  strong: "bg-warning/35",
};

function MarkedText({ page, range, passage, quote, anchor }: MarkedTextProps) {
  const pieces = markPieces(range, passage, quote);
  const target = anchor ? pieces.find(({ mark }) => mark === (quote ? "strong" : "faint")) : undefined;
  return pieces.map(({ start, end, mark }) => {
    // The range may begin within a character.
    const text = toDisplayText(page.text.slice(start - page.start, end - page.start));
    if (!mark) return <Fragment key={start}>{text}</Fragment>;
    return (
      <mark
        key={start}
        {...(target?.start === start ? { id: "passage", tabIndex: -1 } : {})}
        {...(quote && mark === "strong" ? { "data-quote": "" } : {})}
        className={cx(
          "scroll-mt-36 rounded-xs text-ink outline-none [box-decoration-break:clone]",
          MARKS[quote ? mark : "strong"],
        )}
      >
        {text}
      </mark>
    );
  });
}
